import type { Signer } from '../audit/signed-note.ts'
import type { ClockGuard } from '../commands/clock/guard.ts'
import type { Runner } from '../commands/order.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { type Condition, isReady } from '../http/routes/health.ts'
import type { Gauges, Metrics } from '../http/routes/metrics.ts'
import type { Certificate } from '../http/server/certificate.ts'
import type { ForwardedRegistry } from '../machines/forwarded.ts'
import type { ProcessClock } from '../processes/clock.ts'
import type { Sessions } from '../processes/sessions/sessions.ts'
import type { Views } from '../read-models/views.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import type { CatchUp } from '../users/catch-up.ts'
import type { Users } from '../users/users.ts'
import type { ClientPseudonyms } from '../vault/derived/client-pseudonyms.ts'
import type { ConsoleTickets } from '../vault/derived/console-tickets.ts'
import type { Vault } from '../vault/vault.ts'

/** Everything opened at a start, ready to be assembled. */
export interface Parts {
  readonly store: EventStore
  readonly views: Views
  readonly runner: Runner
  readonly users: Users
  /** Whether the users are those of the log, or were a moment ago. */
  readonly isUpToDate: () => boolean
  readonly catchUpNames: CatchUp
  readonly catchUpTokens: CatchUp
  readonly vault: Vault
  /** Pseudonyms of client addresses in the log. */
  readonly clientPseudonyms: ClientPseudonyms
  readonly consoleTickets: ConsoleTickets
  /** Signs checkpoints. */
  readonly signer: Signer
  readonly certificate: Certificate | undefined
  readonly metrics: Metrics
  readonly alarms: Alarms
  readonly guard: ClockGuard
  readonly processClock: ProcessClock
  readonly sessions: FollowedSessions
  /** What this instance forwards. */
  readonly forwarded: ForwardedRegistry
  /** Since when starts and ends are recorded, in Unix milliseconds; undefined if that could not be recorded yet. */
  readonly scheduledFrom: number | undefined
  /** The id of this instance. */
  readonly instance: string
  readonly condition: () => Condition
  readonly stage: Stage
  /** Closes what was opened, the last first. */
  readonly opened: AsyncDisposableStack
}

const storeCondition = (alarms: Alarms, views: Views, isFailed: boolean): Condition['store'] => {
  if (isFailed) return 'failed'
  if (views.isOfAnotherLog()) return 'another'
  if (alarms.isRaised('silence')) return 'silent'
  return alarms.isRaised('store') ? 'unreadable' : 'ok'
}

/** What is known of sessions. */
export interface FollowedSessions {
  /** The open session of a SUT. Undefined until sessions are followed. */
  useOf: Sessions['useOf']
}

/** The phase of the service's life. */
export interface Stage {
  hasFailed: boolean
  isStopping: boolean
  /** Until the ports of running reservations have been opened after the start. */
  isOpeningPorts: boolean
}

/** The condition until everything has been opened. */
export const CONDITION_AT_START: Condition = {
  service: 'ok',
  store: 'ok',
  views: 'behind',
  users: 'unknown',
  vault: 'ok',
  clock: 'ok',
  gateway: 'ok',
}

/** The state of each part, for health checks and metrics. */
export const conditionOf = ({
  alarms,
  views,
  isUpToDate,
  stage,
}: Pick<Parts, 'alarms' | 'views' | 'isUpToDate' | 'stage'>): Condition => ({
  service: stage.isStopping ? 'stopping' : 'ok',
  store: storeCondition(alarms, views, stage.hasFailed),
  views: !views.caughtUp() ? 'behind' : alarms.isRaised('views') ? 'unwritten' : 'ok',
  users: !isUpToDate() ? 'unknown' : alarms.isRaised('users') ? 'broken' : 'ok',
  vault: alarms.isRaised('vault') ? 'broken' : 'ok',
  clock: alarms.isRaised('clock') ? 'ahead' : 'ok',
  gateway: stage.isOpeningPorts ? 'opening' : 'ok',
})

/** The gauges, read whenever metrics are requested. */
export const gaugesOf = ({
  store,
  views,
  vault,
  alarms,
  condition,
}: Pick<Parts, 'store' | 'views' | 'vault' | 'condition' | 'alarms'>): Gauges => ({
  isReady: () => isReady(condition()),
  events: () => views.position() + 1,
  viewLag: async () => Math.max(0, (await store.head()) - views.mark()),
  pendingRows: views.pendingRows,
  alarms: alarms.all,
  oldKeys: () => vault.keys().keys.length - 1,
})
