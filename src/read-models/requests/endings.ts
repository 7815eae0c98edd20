import type { Table } from '../../../projections/projection.ts'
import { makeWaits } from '../../concurrency/waits.ts'
import type { Version } from '../tables/version.ts'
import type { Views } from '../views.ts'

/** Reads that may wait. */
const WAITS_MAX = 4_096

export type Endings = ReturnType<typeof followEndings>

/** Tells when requests and reservations change. A request that waits changes only when it ends. */
export const followEndings = (views: Pick<Views, 'watch' | 'newest'>) => {
  const waits = makeWaits()
  const unwatch = views.watch((_, changes) => {
    for (const { after } of changes) waits.recheck(after.id)
  })
  return {
    /**
     * Resolves once an object shows something else than in this version, after `within` milliseconds, when `signal`
     * aborts, or when waits end. At once if too many wait already. Says whether it was the time that ended.
     */
    wait: async (
      projection: Table,
      { id, document, ended }: Pick<Version, 'id' | 'document' | 'ended'>,
      within: number,
      signal?: AbortSignal,
    ): Promise<boolean> => {
      const isChanged = (): boolean => {
        const newest = views.newest(projection, id)
        return newest?.document !== document || newest.ended !== ended
      }
      return waits.count() < WAITS_MAX && waits.until(id, isChanged, within, signal)
    },
    /** Ends all waits, and lets nothing wait again. */
    end: waits.end,
    close: unwatch,
  }
}
