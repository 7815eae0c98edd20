/** One read at a time. Callers during a read share the next one. */
export const makeRefresh = (read: () => Promise<void>): (() => Promise<void>) => {
  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
  const refresh = (): Promise<void> => {
    if (reading === undefined) {
      reading = read().finally(() => {
        reading = undefined
      })
      return reading
    }
    next ??= reading
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return refresh()
      })
    return next
  }
  return refresh
}
