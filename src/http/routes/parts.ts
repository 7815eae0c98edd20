import type { Runner } from '../../commands/command-envelope.ts'
import type { RandomHex } from '../../domain/values/ids.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import type { Users } from '../../users/users.ts'
import type { Vault } from '../../vault/vault.ts'
import type { CsvLists } from '../response/csv-lists.ts'
import type { Objects } from '../response/objects.ts'
import type { UserNames } from '../response/user-names.ts'
import type { AsOfReads } from './as-of-reads.ts'

/** What handlers of requests are made of. Each takes what it needs. */
export interface Parts {
  readonly runner: Runner
  readonly objects: Objects
  readonly views: Views
  readonly store: EventStore
  readonly users: Users
  readonly vault: Vault
  readonly nameOf: UserNames
  readonly csv: CsvLists
  readonly asOf: AsOfReads
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly randomBytes: (size: number) => Uint8Array
}
