import { randomBytes } from 'node:crypto'
import type { SealedSecret } from '../../src/domain/sealed-secret.ts'
import type { KeyRing } from '../../src/vault/keys.ts'
import { makeVault, type Vault, type VaultStore } from '../../src/vault/vault.ts'

/** The secrets of an event store, in memory: the newest of each field. */
export const makeStore = () => {
  const kept = new Map<string, SealedSecret>()
  const store: VaultStore = {
    readSecrets: async (...owners) => [...kept.values()].filter(({ owner }) => owners.includes(owner)),
    writeSecrets: async (secrets) => {
      for (const secret of secrets) kept.set(`${secret.owner} ${secret.field}`, secret)
    },
  }
  return { ...store, kept }
}

export const vaultOver = (store: VaultStore, keys: KeyRing): Vault =>
  makeVault({ store, keys, clock: Date.now, randomBytes })

/** The secrets of one user. */
export const readUser = async (vault: Vault, id: string) => {
  const [read] = await vault.readUsers(id)
  if (read === undefined) throw new Error('nothing was read')
  return read
}
