import type { SutRequest } from '../../../projections/sut-request.ts'
import { makeWaits } from '../../concurrency/waits.ts'
import type { Views } from '../views.ts'

/** Reads that may wait until a request does not wait any more. */
const WAITS_MAX = 4_096

/** Tells when requests do not wait any more. */
export interface Endings {
  /**
   * Resolves once a request does not wait any more, after `within` milliseconds, or when waits end. At once if too many
   * wait already.
   */
  readonly wait: (id: string, within: number) => Promise<void>
  /** Ends all waits, and lets nothing wait again. */
  readonly end: () => void
  readonly close: () => void
}

export const followEndings = (views: Pick<Views, 'watch' | 'newest'>): Endings => {
  const waits = makeWaits()
  const unwatch = views.watch((events) => {
    for (const { type, data } of events)
      if (type === 'RequestGranted' || type === 'RequestWithdrawn' || type === 'RequestExpired') waits.recheck(data._id)
  })
  const isOver = (id: string): boolean => {
    const version = views.newest('sut_request', id)
    return version === undefined || (JSON.parse(version.document) as SutRequest).status !== 'waiting'
  }
  return {
    wait: async (id, within) => {
      if (waits.count() < WAITS_MAX) await waits.until(id, () => isOver(id), within)
    },
    end: waits.end,
    close: unwatch,
  }
}
