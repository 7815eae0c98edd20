import { setImmediate as turn } from 'node:timers/promises'
import type { Reservation } from '../../projections/reservation.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import type { Clock } from '../domain/values/units.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from './views.ts'
import { waitForHead } from './wait-for-head.ts'

interface UnfinishedOptions {
  readonly views: Pick<Views, 'newest' | 'read' | 'waitForStorePosition'>
  readonly store: Pick<EventStore, 'head'>
  readonly clock: Clock
}

/** Reservations read at once. */
const PAGE_SIZE = 100

/**
 * Makes the function that reads a user's reservations that are not over, or only those that run, in pages, newest first.
 * Each page is as of when it is read.
 *
 * @throws StoreUnavailable
 */
export const makeReadUnfinished = ({ views, store, clock }: UnfinishedOptions) =>
  async function* (user_id: string, isRunning = false): AsyncGenerator<readonly Reservation[]> {
    let createdBefore: PublicPosition | undefined
    for (;;) {
      const isReached = await waitForHead(views, store)
      const now = Math.floor(clock() / 1000)
      const span = { endsAfter: now, ...(isRunning && { startsBefore: now + 1 }) }
      const query = { user_id, ...span, createdBefore, isHeld: true, limit: PAGE_SIZE, offset: 0 }
      const shown = isReached ? await views.read('reservations', query) : undefined
      if (shown === undefined) throw new StoreUnavailable('the reservations of a user cannot be read')
      const page = shown.listed.documents.map((document) => JSON.parse(document) as Reservation)
      const last = page.at(-1)
      if (last !== undefined) yield page
      if (last === undefined || page.length < PAGE_SIZE) return
      createdBefore = views.newest('reservation', last._id)?.created
      await turn()
    }
  }
