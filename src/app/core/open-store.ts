import { existsSync } from 'node:fs'
import { AUDIT_OWNER } from '../../audit/audit-key.ts'
import { LISTEN_PORTS_STREAM, type RandomHex } from '../../domain/values/ids.ts'
import { BEGINNING, type EventStore, NO_STREAM, UnusableLog } from '../../event-store/event-store.ts'
import type { EventStoreDb, EventStoreDbOptions } from '../../event-store/eventstoredb/store.ts'
import { openSqliteStore, type SqliteOptions } from '../../event-store/sqlite/store.ts'
import { readKnownKeyIds } from '../../vault/vault.ts'
import { type Config, Misconfigured } from '../config/config.ts'
import { authorityProblems, type EventStoreConfig } from '../config/values.ts'

type OpenStoreOptions = Omit<SqliteOptions, 'path'> & Omit<EventStoreDbOptions, 'address'>

const openNetworked = async (options: EventStoreDbOptions): Promise<EventStoreDb> => {
  const problems = await authorityProblems(options.address.caFile)
  if (problems.length > 0) throw new Misconfigured(problems)
  // Loaded on demand: the client costs half of a start's time and memory.
  const { openEventStoreDb } = await import('../../event-store/eventstoredb/store.ts')
  return openEventStoreDb(options)
}

/** Opens the configured store for writing. @throws Misconfigured */
export const openStore = async ({ eventStore }: Config, options: OpenStoreOptions): Promise<EventStore> =>
  eventStore.kind === 'sqlite'
    ? openSqliteStore({ path: eventStore.path, isSyncDeferred: true, ...options })
    : openNetworked({ address: eventStore.address, ...options })

/**
 * Opens the store for a command, beside a running service or without one. Does not wait for an unreachable store.
 *
 * @throws Misconfigured, UnusableLog, StoreUnavailable
 */
export const openStoreForCommand = async (
  { eventStore }: Config,
  { randomHex = () => '', isReadOnly = true }: { randomHex?: RandomHex; isReadOnly?: boolean } = {},
): Promise<EventStore> => {
  const onFatal = (error: Error): void => {
    throw error
  }
  if (eventStore.kind === 'sqlite') {
    const { path } = eventStore
    if (!existsSync(path)) throw new UnusableLog(`${path} does not exist; start the service once`)
    return openSqliteStore({ path, readOnly: isReadOnly, randomHex, onFatal })
  }
  return openNetworked({ address: eventStore.address, randomHex, isReadOnly })
}

/**
 * Opens an empty store, or one that holds the beginning of the same copy, as the target of a copy. @throws Misconfigured,
 * UnusableLog, StoreUnavailable
 */
export const openCopyTarget = (
  { address }: EventStoreConfig & { readonly kind: 'eventstoredb' },
  { randomHex, copyOf }: { readonly randomHex: RandomHex; readonly copyOf: string },
): Promise<EventStoreDb> => openNetworked({ address, randomHex, copyOf })

/** What a first start stores beside the log, before the first event. */
type Beside = Pick<EventStore, 'head' | 'readSecrets' | 'readStream'>

/** Whether a key of the vault was given up, and with it its row. */
const hasForgottenKey = async ({ readStream }: Beside): Promise<boolean> => {
  for await (const page of readStream(LISTEN_PORTS_STREAM, NO_STREAM)) {
    if (page.some(({ type }) => type === 'VaultKeyForgotten')) return true
  }
  return false
}

/**
 * What has been removed of it, as sentences: without these rows another key would be taken for that of the log. A log
 * that has not begun needs none.
 */
export const findMissingBeside = async (store: Beside): Promise<readonly string[]> => {
  if ((await store.head()) === BEGINNING) return []
  const [auditKeys, vaultKeys] = [await store.readSecrets(AUDIT_OWNER), await readKnownKeyIds(store)]
  return [
    ...(auditKeys.length > 0 ? [] : ['the log no longer knows its audit key: its row in the vault is missing']),
    ...(vaultKeys.length > 0 || (await hasForgottenKey(store))
      ? []
      : ['the log no longer knows the keys of its vault: their rows in it are missing']),
  ]
}

/** @throws UnusableLog */
export const refuseMissingBeside = async (store: Beside): Promise<void> => {
  const missing = await findMissingBeside(store)
  const remedy = 'restore a backup; an audit key alone can be stored again: berth audit key --replace'
  if (missing.length > 0) throw new UnusableLog([...missing, remedy])
}
