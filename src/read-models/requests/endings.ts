import type { SutRequest } from '../../../projections/sut-request.ts'
import { makeWaits } from '../../concurrency/waits.ts'
import type { Version } from '../tables/version.ts'
import type { Views } from '../views.ts'

/** Reads that may wait. */
const WAITS_MAX = 4_096

export type Endings = ReturnType<typeof followEndings>

/** Tells when requests do not wait any more, and when reservations change. */
export const followEndings = (views: Pick<Views, 'watch' | 'newest'>) => {
  const waits = makeWaits()
  const unwatch = views.watch((_, changes) => {
    for (const { after } of changes) waits.recheck(after.id)
  })
  const waitUntil = async (id: string, isDone: () => boolean, within: number): Promise<boolean> =>
    waits.count() < WAITS_MAX && waits.until(id, isDone, within)
  const isOver = (id: string): boolean => {
    const version = views.newest('sut_request', id)
    return version === undefined || (JSON.parse(version.document) as SutRequest).status !== 'waiting'
  }
  return {
    /**
     * Resolves once a request does not wait any more, after `within` milliseconds, or when waits end. At once if too many
     * wait already. Says whether it was the time that ended.
     */
    wait: (id: string, within: number): Promise<boolean> => waitUntil(id, () => isOver(id), within),
    /** The same, once a reservation shows something else than in this version. */
    waitForChange: ({ id, document, ended }: Pick<Version, 'id' | 'document' | 'ended'>, within: number) => {
      const isChanged = (): boolean => {
        const newest = views.newest('reservation', id)
        return newest?.document !== document || newest.ended !== ended
      }
      return waitUntil(id, isChanged, within)
    },
    /** Ends all waits, and lets nothing wait again. */
    end: waits.end,
    close: unwatch,
  }
}
