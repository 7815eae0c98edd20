import type { SutRequest } from '../../../projections/sut-request.ts'
import { makeWaits } from '../../concurrency/waits.ts'
import type { Version } from '../tables/version.ts'
import type { Views } from '../views.ts'

/** Reads that may wait. */
const WAITS_MAX = 4_096

/** Tells when requests do not wait any more, and when reservations change. */
export interface Endings {
  /**
   * Resolves once a request does not wait any more, after `within` milliseconds, or when waits end. At once if too many
   * wait already. Says whether it was the time that ended.
   */
  readonly wait: (id: string, within: number) => Promise<boolean>
  /** The same, once a reservation shows something else than in this version. */
  readonly waitForChange: (version: Pick<Version, 'id' | 'document' | 'ended'>, within: number) => Promise<boolean>
  /** Ends all waits, and lets nothing wait again. */
  readonly end: () => void
  readonly close: () => void
}

export const followEndings = (views: Pick<Views, 'watch' | 'newest'>): Endings => {
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
    wait: (id, within) => waitUntil(id, () => isOver(id), within),
    waitForChange: ({ id, document, ended }, within) => {
      const isChanged = (): boolean => {
        const newest = views.newest('reservation', id)
        return newest?.document !== document || newest.ended !== ended
      }
      return waitUntil(id, isChanged, within)
    },
    end: waits.end,
    close: unwatch,
  }
}
