import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { ClockGuard } from '../../commands/clock-guard.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import { makeEventId, type RandomHex } from '../../domain/values/ids.ts'
import { type EventStore, StoreUnavailable } from '../../event-store/event-store.ts'
import { type Metrics, makeMetrics } from '../../http/routes/metrics/metrics.ts'
import type { ProcessClock } from '../../processes/clock.ts'
import type { Views } from '../../read-models/views.ts'
import { type Alarms, makeAlarms } from '../../telemetry/alarms.ts'
import type { Users } from '../../users/users.ts'
import type { Vault } from '../../vault/vault.ts'
import { type Config, Misconfigured } from '../config/config.ts'
import type { Runtime } from './runtime.ts'

/** The phase of the service's life. */
export interface Stage {
  hasFailed: boolean
  isStopping: boolean
  /** Until the ports of running reservations have been opened after the start. */
  isOpeningPorts: boolean
}

/** What every step of a start has. Each step adds to it, and each part takes from it what it needs. */
export interface Base extends Runtime {
  readonly config: Config
  readonly randomHex: RandomHex
  /** For what the service does by itself. */
  readonly makeRequestId: () => string
  readonly alarms: Alarms
  readonly metrics: Metrics
  readonly stage: Stage
  /** Closes what was opened, the last first, also after an error. */
  readonly opened: AsyncDisposableStack
}

/** With the log, and what every change of it needs. */
export interface Core extends Base {
  readonly store: EventStore
  /** Whether several instances may use the log. */
  readonly isShared: boolean
  readonly vault: Vault
  readonly guard: ClockGuard
  readonly processClock: ProcessClock
}

/** With what follows the log, and changes it. */
export interface Lab extends Core {
  readonly views: Views
  readonly runner: Runner
  readonly users: Users
}

/** Bytes. */
const POOL = 16_384

/** Random hex from a pool: asking the system for each id costs several times more. */
const pooledHex = (randomBytes: (size: number) => Uint8Array): RandomHex => {
  let pool = ''
  let used = 0
  return (bytes) => {
    if (used + 2 * bytes > pool.length) {
      pool = Buffer.from(randomBytes(Math.max(POOL, bytes))).toString('hex')
      used = 0
    }
    used += 2 * bytes
    return pool.slice(used - 2 * bytes, used)
  }
}

export const makeBase = (config: Config, runtime: Runtime): Base => {
  const randomHex = runtime.randomHex ?? pooledHex(runtime.randomBytes)
  const stage: Stage = { hasFailed: false, isStopping: false, isOpeningPorts: config.gateway.isOn }
  return {
    ...runtime,
    config,
    alarms: makeAlarms(runtime.log),
    metrics: makeMetrics(runtime.processMetrics),
    randomHex,
    makeRequestId: () => makeEventId(runtime.clock(), randomHex(10)),
    stage,
    onFatal: (error) => {
      if (stage.hasFailed) return
      stage.hasFailed = true
      runtime.onFatal(error)
    },
    opened: new AsyncDisposableStack(),
  }
}

/** For background work to finish before the store is closed. */
const BACKGROUND_TIMEOUT_MS = 1_000

/** Closes with a timeout, so that an unresponsive store does not block shutdown. */
export const withTimeout =
  (close: () => Promise<void> | void, within = BACKGROUND_TIMEOUT_MS) =>
  (): Promise<void> =>
    Promise.race([close(), delay(within, undefined, { ref: false })])

/** @throws Misconfigured */
export const orThrow = <A>(read: E.Either<readonly string[], A>): A => {
  if (E.isLeft(read)) throw new Misconfigured(read.left)
  return read.right
}

/** Between attempts while the store does not answer. */
const RETRY_DELAY_MS = 1_000

/** Waits, in a start, for a shared store that does not answer. */
export const whenStoreAnswers = async <A>(
  { isShared, log, signal }: Pick<Core, 'isShared' | 'log' | 'signal'>,
  act: () => Promise<A>,
): Promise<A> => {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!isShared || !(error instanceof StoreUnavailable) || signal?.aborted) throw error
      log.warn({ err: error }, 'event store unavailable; retrying')
      await delay(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}
