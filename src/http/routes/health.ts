import * as E from 'fp-ts/lib/Either.js'
import { clockAhead } from '../../commands/failures.ts'
import { type Declaration, get, refTo } from '../protocol/declaration.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { RouteResult } from '../protocol/route.ts'

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

export interface HealthParts {
  readonly condition: () => HealthCondition
}

const makeLive = () => async (): RouteResult => E.right({ status: 200, body: '{"status":"live"}' })

const makeReady =
  ({ condition }: HealthParts) =>
  async (): RouteResult => {
    const parts = condition()
    if (!isReady(parts)) return E.left(notReady(parts))
    return E.right({ status: 200, body: parts.clock === 'ahead' ? CLOCK_AHEAD : '{"status":"ready"}' })
  }

export const healthRoutes: readonly Declaration<HealthParts>[] = [
  get({
    path: '/health/live',
    id: 'isLive',
    summary: 'Check that the service is running',
    tag: 'Service',
    roles: 'anyone',
    answer: refTo('Health'),
    handler: makeLive,
  }),
  get({
    path: '/health/ready',
    id: 'isReady',
    summary: 'Check that the service is ready',
    description:
      'If it is not, the error response gives the state of each part in parts. While the clock is ahead, detail says that writes are refused.',
    tag: 'Service',
    roles: 'anyone',
    answer: refTo('Health'),
    handler: makeReady,
  }),
]
