import { randomUUID } from 'node:crypto'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import { type EventStore, type SecretExchange, StoreUnavailable } from '../../event-store.ts'
import { type Connection, toUnavailable } from '../server/connection.ts'
import { faultOf } from '../server/faults.ts'
import type { ReadPage } from '../server/read.ts'
import { type Entry, entryOf, isSame, secretOf } from './entry.ts'
import { makeVaultIndex } from './index.ts'
import { makeVaultStreams, type VaultStream } from './streams.ts'

/** Attempts at an exchange under concurrent changes. */
const ATTEMPTS_MAX = 8

type Secrets = Pick<EventStore, 'readSecrets' | 'writeSecrets' | 'secretsSealedWith' | 'exchangeSecrets'> & {
  readonly keepWithEvent: (secrets: readonly SealedSecret[], revision: number, eventId: string) => Promise<void>
}

const byOwner = <A>(all: readonly A[], ownerOf: (one: A) => string): ReadonlyMap<string, readonly A[]> =>
  Map.groupBy(all, ownerOf)

/** Entries to write for the exchanges that still apply. */
const entriesOf = ({ current }: VaultStream, exchanges: readonly SecretExchange[]): readonly Entry[] =>
  exchanges.flatMap(({ old, next }) => {
    const now = current.get(old.field)
    if (now?.nonce === undefined || !isSame(old, now)) return []
    const { field, id, key_id, cause } = now
    return [next === undefined ? { field, id, key_id, cause } : entryOf(next, cause)]
  })

/** Secrets sealed with a key, by SUT and field. Reads only streams in which the key occurs. */
const makeListing =
  (index: ReturnType<typeof makeVaultIndex>, readSecrets: EventStore['readSecrets']): EventStore['secretsSealedWith'] =>
  async (keyId, after, limit) => {
    const keysOf = await index()
    const found: SealedSecret[] = []
    for (const owner of [...keysOf.keys()].sort()) {
      if (found.length >= limit) break
      if (!keysOf.get(owner)?.has(keyId) || (after !== undefined && owner < after.owner)) continue
      for (const secret of await readSecrets(owner)) {
        const isBehind = after === undefined || owner > after.owner || secret.field > after.field
        if (secret.key_id === keyId && isBehind) found.push(secret)
      }
    }
    return found.slice(0, limit)
  }

export const makeSecrets = (commands: Connection, listing: Connection, readPage: ReadPage): Secrets => {
  const { append, readVaultStream } = makeVaultStreams(commands, readPage)

  const readSecrets = async (owner: string): Promise<readonly SealedSecret[]> => {
    const { current } = await readVaultStream(owner)
    return [...current.values()]
      .map((entry) => secretOf(owner, entry))
      .filter((secret) => secret !== undefined)
      .toSorted((a, b) => (a.field < b.field ? -1 : 1))
  }

  const exchangeOfOwner = async (owner: string, exchanges: readonly SecretExchange[]): Promise<void> => {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const kept = await readVaultStream(owner)
      const entries = entriesOf(kept, exchanges)
      if (entries.length === 0) return
      try {
        await append(owner, entries, BigInt(kept.revision), randomUUID())
        return
      } catch (error) {
        if (faultOf(error) !== 'moved') throw toUnavailable('the secrets cannot be stored', error)
      }
    }
    throw new StoreUnavailable('the secrets cannot be stored: too many concurrent changes')
  }

  return {
    keepWithEvent: async (secrets, revision, eventId) => {
      const cause = { revision, id: eventId }
      for (const [owner, ofOwner] of byOwner(secrets, ({ owner }) => owner)) {
        const entries = ofOwner.map((secret) => entryOf(secret, cause))
        await append(owner, entries, 'any', eventId)
      }
    },
    readSecrets,
    writeSecrets: async (secrets) => {
      try {
        for (const [owner, ofOwner] of byOwner(secrets, ({ owner }) => owner)) {
          const entries = ofOwner.map((secret) => entryOf(secret, null))
          await append(owner, entries, 'any', randomUUID())
        }
      } catch (error) {
        throw toUnavailable('the secrets cannot be stored', error)
      }
    },
    secretsSealedWith: makeListing(makeVaultIndex(listing), readSecrets),
    exchangeSecrets: async (exchanges) => {
      for (const [owner, ofOwner] of byOwner(exchanges, ({ old }) => old.owner)) await exchangeOfOwner(owner, ofOwner)
    },
  }
}
