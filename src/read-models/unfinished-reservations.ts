import type { Reservation } from '../../projections/reservation.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from './views.ts'
import { waitForHead } from './wait-for-head.ts'

interface UnfinishedOptions {
  readonly views: Pick<Views, 'newest' | 'read' | 'waitForStorePosition'>
  readonly store: Pick<EventStore, 'head'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** A page of a user's reservations that are not over, newest first. */
interface UnfinishedPage {
  readonly user_id: string
  readonly limit: number
  /** Leaves out those that have not begun. */
  readonly isRunning?: boolean
  /** Only those created before this one. */
  readonly before?: string | undefined
}

/**
 * Reads a user's reservations that are not over, as of now.
 *
 * @throws StoreUnavailable
 */
export const makeReadUnfinished =
  ({ views, store, clock }: UnfinishedOptions) =>
  async ({ user_id, limit, isRunning = false, before }: UnfinishedPage): Promise<readonly Reservation[]> => {
    const isReached = await waitForHead(views, store)
    const now = Math.floor(clock() / 1000)
    const span = { endsAfter: now, ...(isRunning && { startsBefore: now + 1 }) }
    const createdBefore = before === undefined ? undefined : views.newest('reservation', before)?.created
    const query = { user_id, ...span, createdBefore, isHeld: true, limit, offset: 0 }
    const shown = isReached ? await views.read('reservations', query) : undefined
    if (shown === undefined) throw new StoreUnavailable('the reservations of a user cannot be read')
    return shown.listed.documents.map((document) => JSON.parse(document) as Reservation)
  }
