import type { Quota, Role } from '../../domain/events/user.ts'
import type { RandomHex } from '../../domain/values/ids.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { ChangesLimits } from '../../feed/changes/changes.ts'
import type { FeedLimits } from '../../feed/subscribers.ts'
import type { ConsoleLimits } from '../../http/console/bridge.ts'
import type { CsvLimits } from '../../http/response/csv-lists.ts'
import type { RequestSummary } from '../../http/response/request-summary.ts'
import type { Timeouts } from '../../http/server/listen.ts'

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

/** Where the service listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The environment of the service. Nothing else reads a clock or draws random bits. */
export interface Runtime {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Milliseconds since the machine started, including suspension (CLOCK_BOOTTIME). */
  readonly sinceBoot: () => number
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
  /** Overrides the timeouts of http/server/listen.ts. */
  readonly timeouts?: Partial<Timeouts>
  /** Overrides the limits of feed/subscribers.ts. */
  readonly feed?: Partial<FeedLimits>
  /** Overrides the limits of http/response/csv-lists.ts. */
  readonly csv?: Partial<CsvLimits>
  /** Overrides the limits of feed/changes/changes.ts. */
  readonly changes?: Partial<ChangesLimits>
  /** Overrides the limits of http/console/bridge.ts. */
  readonly console?: Partial<ConsoleLimits>
}

/** As pino logs: fields first, then the message. */
export type Log = Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>
