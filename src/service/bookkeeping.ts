import { AUDIT_OWNER } from '../audit/known-audit-key.ts'
import { LISTEN_PORTS_STREAM } from '../domain/values/ids.ts'
import { BEGINNING, type EventStore, NO_STREAM, UnusableLog } from '../event-store/event-store.ts'
import { readKnownKeyIds } from '../vault/vault.ts'

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
