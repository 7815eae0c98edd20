import { before, type EventStore, STORE_TIMEOUT_MS } from '../event-store/event-store.ts'
import { VIEWS_TIMEOUT_MS } from './projector/progress-tracker.ts'
import type { Views } from './views.ts'

/**
 * Waits until the views have reached the current end of the log, which another instance may have written. False if they
 * are too slow.
 *
 * @param within milliseconds for both
 * @throws StoreUnavailable if the store does not say in time where the log ends
 */
export const waitForHead = async (
  views: Pick<Views, 'waitForStorePosition'>,
  store: Pick<EventStore, 'head'>,
  within = STORE_TIMEOUT_MS,
): Promise<boolean> => {
  const until = performance.now() + within
  const head = await before(until, store.head())
  return views.waitForStorePosition(head, Math.min(VIEWS_TIMEOUT_MS, Math.max(0, until - performance.now())))
}
