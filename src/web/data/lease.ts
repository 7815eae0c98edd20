/**
 * Which tab of this browser follows the service for all of them. The lease is in `localStorage`, as Web Locks need
 * HTTPS. It ends by itself when its tab does not renew it: tabs that nobody sees run rarely.
 */

import { readStored, store } from '../service/stored.ts'

const KEPT = 'berth leader'
/** Lifetime of a lease, and the interval between checks of it. */
const LEASE_MS = 2_000
const CHECK_INTERVAL_MS = 600

interface Lease {
  readonly tab: string
  /** Unix milliseconds. */
  readonly until: number
}

const read = () => readStored<Lease>(KEPT)

/** Calls `onLead` when this tab begins or ceases to lead, and tells whether it does. It leads only while `isWanted`. */
export const takeTurns = (tab: string, isWanted: () => boolean, onLead: (isLeading: boolean) => void) => {
  let isLeading = false
  const set = (next: boolean): void => {
    if (next === isLeading) return
    isLeading = next
    onLead(next)
  }
  const giveUp = (): void => {
    if (read()?.tab === tab) localStorage.removeItem(KEPT)
    set(false)
  }
  const renew = (): void => {
    if (!isWanted()) {
      giveUp()
      return
    }
    const lease = read()
    const isFree = lease === undefined || !(lease.until > Date.now()) || lease.until > Date.now() + LEASE_MS
    // The tab that wrote last leads. The others see it at their next check.
    if (isFree || lease.tab === tab) store(KEPT, { tab, until: Date.now() + LEASE_MS })
    set(isLeading ? read()?.tab === tab : lease?.tab === tab)
  }
  setInterval(renew, CHECK_INTERVAL_MS)
  addEventListener('pagehide', giveUp)
  addEventListener('storage', ({ key }) => {
    if (key === KEPT) renew()
  })
  renew()
  return (): boolean => isLeading
}
