import { createHash, randomUUID } from 'node:crypto'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import { canonicalJson } from '../../../domain/values/canonical-json.ts'
import { type EventStore, type SecretExchange, StoreUnavailable } from '../../event-store.ts'
import { type StoreConnection, toUnavailable } from '../server/connection.ts'
import { faultOf } from '../server/faults.ts'
import type { ReadPage } from '../server/read.ts'
import { entryOf, isSame, type SecretCause, secretOf, type VaultEntry } from './entry.ts'
import { makeVaultIndex } from './index.ts'
import { makeReadVaultStream, makeVaultWrites, type VaultStream } from './streams.ts'

/** Attempts at an exchange under concurrent changes. */
const ATTEMPTS_MAX = 8
/** Owners read or written at a time, of 90 calls that a connection allows (server/call-limit.ts). */
const OWNERS_AT_A_TIME = 16

type OfVault = 'readSecrets' | 'writeSecrets' | 'secretsSealedWith' | 'exchangeSecrets' | 'eraseSecrets'

type Secrets = Pick<EventStore, OfVault> & {
  readonly keepWithEvent: (secrets: readonly SealedSecret[], revision: number, eventId: string) => Promise<void>
}

/** Calls `work` for each owner, for some at a time. The others are left out after a failure. */
const forEachOwner = async <A>(
  all: readonly A[],
  ownerOf: (one: A) => string,
  work: (owner: string, ofOwner: readonly A[]) => Promise<unknown>,
): Promise<void> => {
  const rest = Map.groupBy(all, ownerOf)[Symbol.iterator]()
  let hasFailed = false
  const workOff = async (): Promise<void> => {
    for (let next = rest.next(); !next.done && !hasFailed; next = rest.next()) {
      await work(...next.value).catch((error) => {
        hasFailed = true
        throw error
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: OWNERS_AT_A_TIME }, workOff))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}

const ownerOf = ({ owner }: SealedSecret): string => owner

/** Entries to write for the exchanges that still apply. */
const entriesOf = ({ current }: VaultStream, exchanges: readonly SecretExchange[]): readonly VaultEntry[] =>
  exchanges.flatMap(({ old, next }) => {
    const now = current.get(old.field)
    if (now?.nonce === undefined || !isSame(old, now)) return []
    const { field, id, key_id, cause } = now
    return [next === undefined ? { field, id, key_id, cause } : entryOf(next, cause)]
  })

type ReadOwner = (owner: string) => Promise<readonly SealedSecret[]>

/** Secrets sealed with a key, by owner and field. Reads only streams in which the key occurs. */
const makeListing =
  (index: ReturnType<typeof makeVaultIndex>, readOwner: ReadOwner): EventStore['secretsSealedWith'] =>
  async (keyId, after, limit) => {
    const keysOf = await index()
    const owners = [...keysOf]
      .filter(([owner, keys]) => keys.has(keyId) && (after === undefined || owner >= after.owner))
      .map(([owner]) => owner)
      .sort()
    const found: SealedSecret[] = []
    while (owners.length > 0 && found.length < limit) {
      const read = await Promise.all(owners.splice(0, Math.min(OWNERS_AT_A_TIME, limit)).map(readOwner))
      for (const secret of read.flat()) {
        const isBehind = after === undefined || secret.owner > after.owner || secret.field > after.field
        if (secret.key_id === keyId && isBehind) found.push(secret)
      }
    }
    return found.slice(0, limit)
  }

/**
 * The id of what seals an owner's secrets with an event: its own, for readers of the store that drop repeated ids, and
 * the same at each retry, by which the store recognises it. A UUID of version 8 (RFC 9562).
 */
const sealedIdOf = (owner: string, eventId: string): string => {
  const bytes = createHash('sha256')
    .update(canonicalJson(['secrets sealed', owner, eventId]))
    .digest()
    .subarray(0, 16)
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export const makeSecrets = (commands: StoreConnection, listing: StoreConnection, readPage: ReadPage): Secrets => {
  const readVaultStream = makeReadVaultStream(readPage)
  const { append, erase } = makeVaultWrites(commands, readPage)

  const readOwner: ReadOwner = async (owner) => {
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

  const storeAll = (secrets: readonly SealedSecret[], cause: SecretCause, idOf: (owner: string) => string) =>
    forEachOwner(secrets, ownerOf, (owner, ofOwner) => {
      const entries = ofOwner.map((secret) => entryOf(secret, cause))
      return append(owner, entries, 'any', idOf(owner))
    })

  return {
    keepWithEvent: (secrets, revision, eventId) =>
      storeAll(secrets, { revision, id: eventId }, (owner) => sealedIdOf(owner, eventId)),
    readSecrets: async (...owners) => (await Promise.all([...owners].sort().map(readOwner))).flat(),
    writeSecrets: async (secrets) => {
      try {
        await storeAll(secrets, null, () => randomUUID())
      } catch (error) {
        throw toUnavailable('the secrets cannot be stored', error)
      }
    },
    secretsSealedWith: makeListing(makeVaultIndex(listing), readOwner),
    exchangeSecrets: (exchanges) => forEachOwner(exchanges, ({ old }) => old.owner, exchangeOfOwner),
    eraseSecrets: async (owner) => {
      try {
        await erase(owner)
      } catch (error) {
        throw toUnavailable('the secrets cannot be deleted', error)
      }
    },
  }
}
