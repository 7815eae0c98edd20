import type { RandomHex } from '../domain/values/ids.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { FeedLimits } from '../feed/subscribers.ts'
import type { RequestSummary } from '../http/response/request-summary.ts'
import type { Timeouts } from '../http/server/listen.ts'

/** What the service takes from the world around it: nothing else reads a clock or draws random bits. */
export interface World {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Milliseconds since the machine was started, suspension included (CLOCK_BOOTTIME). */
  readonly sinceBoot: () => number
  readonly randomBytes: (size: number) => Uint8Array
  /** The random bits of ids; drawn from `randomBytes` unless given. */
  readonly randomHex?: RandomHex
  readonly log: Log
  /** Told of every request when its answer is ready. */
  readonly onAnswered?: (answered: RequestSummary) => void
  /** Metrics of the process, to be shown beside the service's own; as Prometheus reads them. */
  readonly processMetrics?: () => Promise<string>
  /** The service cannot go on and is no longer ready; the process had better end. */
  readonly onFatal: (error: unknown) => void
  /** Opens the store that the configuration names, unless another is given. */
  readonly openStore?: (randomHex: RandomHex, onFatal: (error: Error) => void) => EventStore
  /** Ends a start that waits for a store which cannot be reached. */
  readonly signal?: AbortSignal
  /** How long clients are waited for, unless as http/listen.ts has it. */
  readonly patience?: Partial<Timeouts>
  /** How many follow the log, and how they are treated, unless as feed/subscribers.ts has it. */
  readonly feed?: Partial<FeedLimits>
}

/** As pino logs: facts first, then a sentence. */
export type Log = Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>
