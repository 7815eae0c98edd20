import { LRUCache } from 'lru-cache'
import { makeMayBeShared } from '../../gateway/shared-addresses.ts'
import type { Opened } from '../accounts/opened.ts'

/** What the gateway reports, as log lines, alarms and metrics. */

/** Between log lines about one reservation and reason. */
const LOG_INTERVAL_MS = 60_000
/** Maximum pairs of reservation and reason whose last line is kept. */
const LOGGED_MAX = 10_000

/** Raises an alarm while another program holds a port of a running reservation. */
export const watchPorts = (alarms: Opened['alarms'], isForwarded: (reservationId: string) => boolean) => {
  const waiting = new Set<string>()
  const settle = (reservationId: string): void => {
    waiting.delete(reservationId)
    if (waiting.size === 0) alarms.clear('gateway', 'every port of a running reservation is open')
  }
  return {
    taken: (reservationId: string, port: number, code: string): void => {
      // It may be over by the time this is reported.
      if (!isForwarded(reservationId)) return
      waiting.add(reservationId)
      alarms.raise('gateway', `port ${port} cannot be opened (${code}); retrying every 10 s`)
    },
    /** The port is open, or the reservation is over or no longer forwarded. */
    settle,
  }
}

/** Warns once about a client address that many clients may share. */
export const makeWarnIfShared = (log: Opened['log']) => {
  const mayBeShared = makeMayBeShared()
  let isLogged = false
  return (address: string): void => {
    if (isLogged || !mayBeShared(address)) return
    isLogged = true
    log.warn(
      { address },
      'the gateway has a client whose address others may have too, and all of them count as the holder; ' +
        'if something rewrites addresses, use host networking, or let clients connect directly',
    )
  }
}

/** Logs a refusal or failure once a minute for each reservation or SUT. */
export const makeLogOnce = (log: Opened['log'], clock: () => number) => {
  const logged = new LRUCache<string, true>({ max: LOGGED_MAX, ttl: LOG_INTERVAL_MS, perf: { now: clock } })
  return (
    what: { readonly reservation: string } | { readonly sut: string },
    why: string,
    sentence: string,
    reason?: string,
  ): void => {
    const key = `${Object.values(what)[0]} ${why}`
    if (logged.get(key)) return
    logged.set(key, true)
    log.warn({ ...what, why, ...(reason !== undefined && { reason }) }, sentence)
  }
}
