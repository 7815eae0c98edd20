import type { ClockGuard } from '../../commands/clock-guard.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import type { RandomHex } from '../../domain/values/ids.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import type { Alarms } from '../../telemetry/alarms.ts'
import type { Users } from '../../users/users.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Config } from '../config/config.ts'

/** What the composition root has opened, or been given, before accounts and machines. */
export interface Opened {
  readonly config: Config
  readonly store: EventStore
  readonly vault: Vault
  readonly guard: ClockGuard
  readonly views: Views
  readonly runner: Runner
  readonly users: Users
  readonly alarms: Alarms
  readonly log: Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly randomHex: RandomHex
  /** Whether other instances may use the log. */
  readonly isShared: boolean
}
