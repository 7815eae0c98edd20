import { makeTurns } from '../concurrency/turns.ts'

/** Reads begun in one turn of the event loop, whoever reads. Each decodes at most a page of the store: some 4 ms. */
const READS_MAX = 2
const EVERYBODY = ''

/** Reads of readers that are behind: one of a user at a time, and a few of all. */
export type ReadTurns = ReturnType<typeof makeReadTurns>

/** Users take turns, so that one with many streams does not delay the others. */
export const makeReadTurns = () => {
  const ofUser = makeTurns()
  const ofAll = makeTurns({ limit: READS_MAX })
  /**
   * What is kept or being read already, or a read that begins when it is the user's turn.
   *
   * @param find looks for what is kept or being read, also when the turn begins
   */
  return async <A>(userId: string, find: () => A | Promise<A> | undefined, read: () => Promise<A>): Promise<A> => {
    const found = find()
    if (found !== undefined) return found
    await ofUser.acquire(userId)
    await ofAll.acquire(EVERYBODY)
    try {
      return await (find() ?? read())
    } finally {
      setImmediate(() => {
        ofAll.release(EVERYBODY)
        ofUser.release(userId)
      })
    }
  }
}
