/** The users who may sign in, as far as the ends of their access are concerned. */
export interface AccessOfUsers {
  readonly list: () => readonly { readonly _id: string; readonly accessSince: number }[]
  /** Calls the listener after each change. The returned function unsubscribes. */
  readonly onChange: (listener: () => void) => () => void
}

/**
 * Calls back at once with the users who were removed, or whose access was interrupted, perhaps only for a moment. Who
 * may do what now does not tell that.
 */
export const watchAccessEnds = (
  { list, onChange }: AccessOfUsers,
  onEnded: (userIds: ReadonlySet<string>) => void,
): (() => void) => {
  const read = (): ReadonlyMap<string, number> => new Map(list().map(({ _id, accessSince }) => [_id, accessSince]))
  let before = read()
  return onChange(() => {
    const now = read()
    const ended = [...before].filter(([id, since]) => now.get(id) !== since)
    before = now
    if (ended.length > 0) onEnded(new Set(ended.map(([id]) => id)))
  })
}
