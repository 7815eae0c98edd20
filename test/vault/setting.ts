import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { sutStream } from '../../src/domain/values/ids.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { type KeyRing, parseVaultKeys } from '../../src/vault/keys.ts'
import { makeVault, type Vault } from '../../src/vault/vault.ts'
import { append, randomHex, someEvents } from '../event-store/new-events.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { temporaryData } from '../http/harness.ts'
import { rightOf } from '../users/builders.ts'

/** New keys with these ids, the first being the current one. */
export const ringOf = (...ids: readonly string[]): KeyRing =>
  rightOf(parseVaultKeys(ids.map((id) => `${id}:${randomBytes(32).toString('base64')}`).join()))

/** The ring of a key file. */
export const ringIn = async (path: string): Promise<KeyRing> => rightOf(parseVaultKeys(await readFile(path, 'utf8')))

/** A key ring with another one's keys after its own. */
export const before = (ring: KeyRing, older: KeyRing): KeyRing => ({
  current: ring.current,
  keys: [...ring.keys, ...older.keys],
})

export const aStore = async (t: ExecutionContext): Promise<EventStore> =>
  openStore(t, join(await temporaryData(t), 'events.db'))

export const NOW = Date.parse('2030-05-02T05:58:11.000Z')
export const HOUR = 3_600_000

export const vaultOver = async (store: EventStore, keys: KeyRing, now = NOW): Promise<Vault> => {
  const vault = makeVault({ store, keys, clock: () => now, randomBytes })
  rightOf(await vault.check())
  return vault
}

/** Sets the password of a SUT, a new one by default, with an event in its stream. Returns the SUT's id. */
export const givePassword = async (
  store: EventStore,
  vault: Vault,
  password: string,
  sut?: string,
): Promise<string> => {
  const id = sut ?? randomHex(12)
  const stream = sutStream(id)
  let revision = -1
  for await (const page of store.readStream(stream, -1)) revision = page.at(-1)?.revision ?? revision
  const secrets = vault.seal(id, { password, user_name: `of ${password}` })?.secrets
  rightOf(await append(store, stream, revision, someEvents(stream, 1), secrets))
  return id
}

export const passwordOf = async (store: EventStore, keys: KeyRing, sut: string): Promise<string | undefined> =>
  rightOf(await makeVault({ store, keys, clock: () => NOW, randomBytes }).passwordOf(sut))

/** What re-encrypts the secrets of a store. */
export const resealing = (store: EventStore, vault: Vault, now = NOW) => ({
  store,
  vault,
  clock: () => now,
  randomBytes,
})
