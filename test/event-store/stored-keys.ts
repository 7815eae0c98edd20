import { randomBytes } from 'node:crypto'
import { parseAuditKey, saveKnownKey } from '../../src/audit/audit-key.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { parseVaultKeys } from '../../src/vault/keys.ts'
import { makeVault } from '../../src/vault/vault.ts'
import { rightOf } from '../users/builders.ts'

const VAULT_KEY = Buffer.alloc(32, 7).toString('base64')

/** What a first start stores beside an empty log: which keys are its own. Both are 32 bytes in base64. */
export const storeKeys = async (store: EventStore, auditKey: string, vaultKey = VAULT_KEY): Promise<void> => {
  const keys = rightOf(parseVaultKeys(`k-first:${vaultKey}`))
  rightOf(await makeVault({ store, keys, clock: Date.now, randomBytes }).check())
  await saveKnownKey(store, { name: 'berth', privateKey: rightOf(parseAuditKey(auditKey)) }, Date.now(), randomBytes)
}
