import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import type { ClockGuard } from '../../commands/clock-guard.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import type { Quota, Role } from '../../domain/events/user.ts'
import { makeEventId, type RandomHex } from '../../domain/values/ids.ts'
import type { Clock, SinceBoot } from '../../domain/values/units.ts'
import { type EventStore, StoreUnavailable } from '../../event-store/event-store.ts'
import type { ChangesLimits } from '../../feed/changes/changes.ts'
import type { FeedLimits } from '../../feed/subscribers.ts'
import type { ConsoleLimits } from '../../http/console/bridge.ts'
import type { CsvLimits } from '../../http/response/csv-lists.ts'
import type { RequestSummary } from '../../http/response/request-summary.ts'
import type { HealthCondition } from '../../http/routes/health.ts'
import { type Metrics, makeMetrics } from '../../http/routes/metrics/metrics.ts'
import type { Timeouts } from '../../http/server/listen.ts'
import type { ProcessClock } from '../../processes/clock.ts'
import type { SendOptions } from '../../processes/webhooks/send.ts'
import type { Views } from '../../read-models/views.ts'
import { type Alarms, makeAlarms } from '../../telemetry/alarms.ts'
import type { Users } from '../../users/users.ts'
import type { Vault } from '../../vault/vault.ts'
import { type Config, Misconfigured } from '../config/config.ts'

/** A user of a log that had none. */
export interface FirstUser {
  readonly _id: string
  readonly name: string
  readonly role: Role
  /** The hash of the password in PHC string format. */
  readonly password: string
  readonly quota?: Quota
}

export interface FirstAdministrator {
  readonly name: string
  /** Absent if the password was configured. */
  readonly password?: string
}

export interface Address {
  readonly host: string
  readonly port: number
}

/** The environment of the service. Nothing else reads a clock or draws random bits. */
export interface Runtime {
  readonly clock: Clock
  readonly sinceBoot: SinceBoot
  /** Resolves when timed processes should check the clock again; by default at the next whole second. */
  readonly wake?: (signal: AbortSignal) => Promise<void>
  readonly randomBytes: (size: number) => Uint8Array
  /** Random bits for ids; drawn from `randomBytes` by default. */
  readonly randomHex?: RandomHex
  readonly log: Log
  /** Called for each request when its response is ready. */
  readonly onAnswered?: (answered: RequestSummary) => void
  /** Called as soon as the first administrator is recorded, while the service still starts. */
  readonly onFirstAdministrator?: (first: FirstAdministrator, address: Address) => Promise<void>
  /** The users of a log that has none, in place of an administrator. */
  readonly firstUsers?: () => Promise<readonly FirstUser[]>
  /** Metrics of the process in Prometheus format, added to the service's own. */
  readonly processMetrics?: () => Promise<string>
  /** Called when the service cannot continue and is no longer ready. The process should exit. */
  readonly onFatal: (error: unknown) => void
  /** Opens the store, in place of the configured one. */
  readonly openStore?: (randomHex: RandomHex, onFatal: (error: Error) => void) => EventStore
  /** Aborts a start that waits for an unreachable store. */
  readonly signal?: AbortSignal
  // Limits and timeouts in place of those that the modules of these types have.
  readonly timeouts?: Partial<Timeouts>
  readonly feed?: Partial<FeedLimits>
  readonly csv?: Partial<CsvLimits>
  readonly changes?: Partial<ChangesLimits>
  readonly webhooks?: Partial<SendOptions>
  readonly console?: Partial<ConsoleLimits>
}

/** As pino logs: fields first, then the message. */
export type Log = Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>

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

/** Between log lines of one kind. */
const LOG_INTERVAL_MS = 60_000
/** Maximum kinds whose last line is kept, where they are told apart by a SUT or reservation. */
const KINDS_MAX = 10_000

/** Logs a warning at most once a minute for each key. @param clock milliseconds */
export const makeWarnOnce = ({ warn }: Pick<Log, 'warn'>, clock: () => number) => {
  const logged = new LRUCache<string, true>({
    max: KINDS_MAX,
    ttl: LOG_INTERVAL_MS,
    ttlResolution: 0,
    perf: { now: clock },
  })
  return (facts: object, sentence: string, key = sentence): void => {
    if (logged.get(key)) return
    logged.set(key, true)
    warn(facts, sentence)
  }
}

/** Hooks through which the parts report to the log and the metrics. */
export const makeReports = (base: Pick<Base, 'log' | 'sinceBoot' | 'metrics' | 'onAnswered'>) => {
  const { log, sinceBoot, metrics, onAnswered } = base
  const warnOnce = makeWarnOnce(log, sinceBoot)
  return {
    onAnswered: (summary: RequestSummary): void => {
      metrics.answered(summary)
      onAnswered?.(summary)
    },
    onAcceptError: (error: Error): void => warnOnce({ err: error }, 'a connection could not be accepted'),
    onError: (error: unknown, requestId: string): void =>
      log.error({ err: error, request_id: requestId }, 'a request failed'),
    /** An outage fails every request, and the responses do not say why. */
    onUnavailable: (error: StoreUnavailable, requestId: string): void =>
      warnOnce({ err: error, request_id: requestId }, 'the event store is unavailable; a request failed'),
    onCommandUnavailable: (error: StoreUnavailable, requestId: string): void =>
      warnOnce({ err: error, request_id: requestId }, 'the event store is unavailable; a command was refused'),
  }
}

export type LoggedReports = ReturnType<typeof makeReports>

interface ConditionOptions {
  readonly alarms: Pick<Alarms, 'isRaised'>
  /** Undefined until they have been opened. */
  readonly views?: Pick<Views, 'caughtUp' | 'isOfAnotherLog'>
  /** Whether the users are those of the log, or were a moment ago. */
  readonly isUpToDate?: () => boolean
  readonly stage: Stage
}

const storeCondition = ({ alarms, views, stage }: ConditionOptions): HealthCondition['store'] => {
  if (stage.hasFailed) return 'failed'
  if (views?.isOfAnotherLog()) return 'another'
  if (alarms.isRaised('silence')) return 'silent'
  return alarms.isRaised('store') ? 'unreadable' : 'ok'
}

export const conditionOf = (options: ConditionOptions): HealthCondition => {
  const { alarms, views, isUpToDate, stage } = options
  return {
    service: stage.isStopping ? 'stopping' : 'ok',
    store: storeCondition(options),
    views: !views?.caughtUp() ? 'behind' : alarms.isRaised('views') ? 'unwritten' : 'ok',
    users: !isUpToDate?.() ? 'unknown' : alarms.isRaised('users') ? 'broken' : 'ok',
    vault: alarms.isRaised('vault') ? 'broken' : 'ok',
    clock: alarms.isRaised('clock') ? 'ahead' : 'ok',
    gateway: stage.isOpeningPorts ? 'opening' : 'ok',
  }
}
