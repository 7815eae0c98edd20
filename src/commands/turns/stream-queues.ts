export type StreamQueues = ReturnType<typeof makeStreamQueues>

/** Serialises commands per stream within this process. The expected revision covers other processes. */
export const makeStreamQueues = () => {
  /**
   * Waiters per locked stream. Stores resolvers rather than promises, which would retain everything they resolve to.
   */
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
    /** @param pause milliseconds for which nobody gets the stream */
    release: (stream: string, pause = 0): void => {
      const release = (): void => {
        const next = waiting.get(stream)?.shift()
        if (next === undefined) waiting.delete(stream)
        else next()
      }
      if (pause === 0) release()
      else setTimeout(release, pause)
    },
  }
}
