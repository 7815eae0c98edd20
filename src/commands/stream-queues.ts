export type StreamQueues = ReturnType<typeof makeStreamQueues>

/** Commands on one stream wait for each other here; the expected revision is for those in other processes. */
export const makeStreamQueues = () => {
  /** Who waits for each stream that somebody has the turn of. Not their promises, which would keep all that they come to. */
  const waiting = new Map<string, (() => void)[] | undefined>()
  return {
    acquire: (stream: string): Promise<void> | undefined => {
      if (!waiting.has(stream)) {
        waiting.set(stream, undefined)
        return undefined
      }
      const turn = Promise.withResolvers<void>()
      const others = waiting.get(stream) ?? []
      others.push(turn.resolve)
      waiting.set(stream, others)
      return turn.promise
    },
    release: (stream: string): void => {
      const next = waiting.get(stream)?.shift()
      if (next === undefined) waiting.delete(stream)
      else next()
    },
  }
}
