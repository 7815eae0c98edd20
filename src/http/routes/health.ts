import * as E from 'fp-ts/lib/Either.js'
import type { ClockGuard } from '../../commands/clock-guard.ts'
import { clockAhead } from '../../commands/failures.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { withoutBody } from '../codecs/body.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { administrators, get, post, type Route, refTo } from '../protocol/route.ts'

/** The state of each part in one word; `ok` if it works. */
export interface HealthCondition {
  readonly service: 'ok' | 'stopping'
  readonly store: 'ok' | 'failed' | 'another' | 'silent' | 'unreadable'
  readonly views: 'ok' | 'behind' | 'unwritten'
  /** `unknown`: this instance has not followed the log lately, and refuses all who need a user. */
  readonly users: 'ok' | 'broken' | 'unknown'
  readonly vault: 'ok' | 'broken'
  readonly clock: 'ok' | 'ahead'
  /** `opening`: after a start, until the ports of running reservations have been opened. */
  readonly gateway: 'ok' | 'opening'
}

/**
 * Whether requests are answered. A broken file leaves its in-memory copy in use. Broken views leave the log usable.
 * Over a different log nothing is answered, because the cached states belong to the old one.
 */
export const canServe = ({ store, views }: HealthCondition): boolean =>
  store !== 'failed' && store !== 'another' && views !== 'behind'

/**
 * A service whose store does not respond still answers reads and retries commands, but another instance may do better.
 * So it may while ports are being opened, or while it does not know the users.
 */
export const isReady = (condition: HealthCondition): boolean =>
  condition.service === 'ok' &&
  condition.store !== 'silent' &&
  condition.users !== 'unknown' &&
  condition.gateway === 'ok' &&
  canServe(condition)

const notReady = (parts: HealthCondition): Refusal => {
  const wrong = Object.entries(parts).filter(([, word]) => word !== 'ok')
  const detail = `The service is not ready: ${wrong.map((pair) => pair.join(' ')).join(', ')}.`
  return { ...refusal('unavailable', detail), parts }
}

/** The service is ready for reads, and an operator has to act. */
const CLOCK_AHEAD = JSON.stringify({ status: 'ready', detail: `Writes are refused. ${clockAhead().detail}` })

export const healthRoutes: readonly Route<{ readonly condition: () => HealthCondition }>[] = [
  get('/health/live', {
    id: 'isLive',
    summary: 'Check that the service is running',
    roles: 'anyone',
    answer: refTo('Health'),
    handler: async () => E.right({ status: 200, body: '{"status":"live"}' }),
  }),
  get('/health/ready', {
    id: 'isReady',
    summary: 'Check that the service is ready',
    description:
      'If it is not, the error response gives the state of each part in parts. While the clock is ahead, detail says that writes are refused.',
    roles: 'anyone',
    answer: refTo('Health'),
    handler: async ({ condition }) => {
      const parts = condition()
      if (!isReady(parts)) return E.left(notReady(parts))
      return E.right({ status: 200, body: parts.clock === 'ahead' ? CLOCK_AHEAD : '{"status":"ready"}' })
    },
  }),
]

/** Only the control socket has this route: whoever confirms the clock of a machine has looked at it there. */
export const confirmClock = post('/api/clock/confirm', {
  id: 'confirmClock',
  summary: 'Confirm that the clock of the running service is right',
  description:
    'A service refuses writes with 503 clock_ahead when its clock gains more than an hour on the time since boot, or when it starts more than BERTH_CLOCK_AHEAD_MAX after the last event of its log, because an event with a future time disables its SUT until then. Check the clock of the machine. If it is wrong, set it, and the service continues by itself. If it is right, confirm it. Each instance over a shared store is confirmed on its own machine.',
  roles: administrators,
  isAlwaysOpen: true,
  ignoresRetryKey: true,
  ...withoutBody,
  answer: { type: 'object' },
  handler: async ({ clock, guard }: { readonly clock: () => number; readonly guard: ClockGuard }) => {
    guard.confirm()
    return E.right({ status: 200, body: JSON.stringify({ time: formatMilliseconds(clock()) }) })
  },
})
