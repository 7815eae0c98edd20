import type { StoreUnavailable } from '../event-store/event-store.ts'
import type { Log } from './world.ts'

/** Milliseconds between log lines of one kind. */
const LOGGED_EVERY = 60_000

export type LogUnavailable = (error: StoreUnavailable, requestId: string) => void

const makeLogOnce = ({ warn }: Pick<Log, 'warn'>, sinceBoot: () => number, sentence: string): LogUnavailable => {
  let last: number | undefined
  return (error, requestId) => {
    const now = sinceBoot()
    if (last !== undefined && now - last < LOGGED_EVERY) return
    last = now
    warn({ err: error, request_id: requestId }, sentence)
  }
}

/**
 * Logs why the store was unavailable, once a minute for commands and once for other requests. An outage fails every
 * request, and the responses do not say why.
 *
 * @param sinceBoot in milliseconds
 */
export const makeLogUnavailable = (log: Pick<Log, 'warn'>, sinceBoot: () => number) => ({
  ofCommand: makeLogOnce(log, sinceBoot, 'the event store is unavailable; a command was refused'),
  ofRequest: makeLogOnce(log, sinceBoot, 'the event store is unavailable; a request failed'),
})
