import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import { canonicalJson } from '../../../domain/values/canonical-json.ts'
import { type SecretExchange, type SecretStore, StoreUnavailable } from '../../event-store.ts'
import { type StoreConnection, toUnavailable } from '../server/connection.ts'
import { faultOf } from '../server/faults.ts'
import { type ReadPage, readLastEvents } from '../server/read.ts'
import {
  ATTEMPTS_MAX,
  entryOf,
  makeVaultStreams,
  type SecretCause,
  secretOf,
  VAULT_PREFIX,
  VaultEntries,
  type VaultEntry,
} from './streams.ts'

/** Prefix of the streams of metadata. */
const METADATA = '$$'
/** More events than a vault has. */
const EVENTS_MAX = 2 ** 31 - 1

/** Whether metadata deletes its stream: it then begins at 2^63 - 1, which JavaScript rounds. */
const isDeletion = (data: unknown): boolean =>
  Number((data as { $tb?: unknown } | undefined)?.$tb) >= Number.MAX_SAFE_INTEGER

/**
 * The owners of secrets and the ids of all keys ever used for them. `$all` contains a deleted stream until a scavenge,
 * and the event that deleted it.
 */
const readVaultIndex = async (connection: StoreConnection): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const prefix = connection.prefix + VAULT_PREFIX
  const keysOf = new Map<string, Set<string>>()
  const deleted = new Set<string>()
  const all = await readLastEvents(connection, [prefix, METADATA + prefix], EVENTS_MAX).catch((error: unknown) => {
    throw toUnavailable('the secrets cannot be listed', error, ' to $all')
  })
  // Newest first: what is older than its deletion is gone.
  for (const { streamId, data } of all) {
    const isMetadata = streamId.startsWith(METADATA)
    const owner = streamId.slice(prefix.length + (isMetadata ? METADATA.length : 0))
    if (deleted.has(owner)) continue
    if (isMetadata) {
      if (isDeletion(data)) deleted.add(owner)
      continue
    }
    const keys = keysOf.get(owner) ?? new Set()
    keysOf.set(owner, keys)
    const decoded = VaultEntries.decode(data)
    if (E.isRight(decoded)) for (const { key_id } of decoded.right.secrets) keys.add(key_id)
  }
  return keysOf
}

/** Owners read or written at a time, of 90 calls that a connection allows (server/connection.ts). */
const OWNERS_AT_A_TIME = 16

interface Secrets extends SecretStore {
  /** Stores secrets that become current when the event with that revision and id is in the log. */
  readonly keepWithEvent: (secrets: readonly SealedSecret[], revision: number, eventId: string) => Promise<void>
}

/** Calls `work` for each owner, for some at a time. The others are left out after a failure. */
const forEachOwner = async <A>(
  all: readonly A[],
  ownerOf: (one: A) => string,
  work: (owner: string, ofOwner: readonly A[]) => Promise<unknown>,
): Promise<void> => {
  const owners = [...Map.groupBy(all, ownerOf)]
  for (let n = 0; n < owners.length; n += OWNERS_AT_A_TIME)
    await Promise.all(owners.slice(n, n + OWNERS_AT_A_TIME).map((owner) => work(...owner)))
}

const isSame = (a: SealedSecret, b: VaultEntry): boolean =>
  a.field === b.field && a.id === b.id && a.key_id === b.key_id

/** Entries to write for the exchanges that still apply. */
const entriesOf = (
  current: ReadonlyMap<string, VaultEntry>,
  exchanges: readonly SecretExchange[],
): readonly VaultEntry[] =>
  exchanges.flatMap(({ old, next }) => {
    const now = current.get(old.field)
    if (now?.nonce === undefined || !isSame(old, now)) return []
    const { field, id, key_id, cause } = now
    return [next === undefined ? { field, id, key_id, cause } : entryOf(next, cause)]
  })

/**
 * The id of what seals an owner's secrets with an event: its own, for readers of the store that drop repeated ids, and
 * the same at each retry, by which the store recognises it. A UUID of version 8 (RFC 9562).
 */
const sealedIdOf = (owner: string, eventId: string): string => {
  const digits = hash('sha256', canonicalJson(['secrets sealed', owner, eventId]))
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

export const makeSecrets = (connection: StoreConnection, readPage: ReadPage): Secrets => {
  const streams = makeVaultStreams(connection, readPage)
  /** Of the scan that began last. */
  let index: Awaited<ReturnType<typeof readVaultIndex>> | undefined

  const readOwner = async (owner: string): Promise<readonly SealedSecret[]> => {
    const { current } = await streams.read(owner)
    return [...current.values()]
      .flatMap((entry) => secretOf(owner, entry) ?? [])
      .toSorted((a, b) => (a.field < b.field ? -1 : 1))
  }

  const exchangeOfOwner = async (owner: string, exchanges: readonly SecretExchange[]): Promise<void> => {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const { revision, current } = await streams.read(owner)
      const entries = entriesOf(current, exchanges)
      if (entries.length === 0) return
      try {
        await streams.append(owner, entries, BigInt(revision))
        return
      } catch (error) {
        if (faultOf(error) !== 'moved') throw toUnavailable('the secrets cannot be stored', error)
      }
    }
    throw new StoreUnavailable('the secrets cannot be stored: too many concurrent changes')
  }

  const storeAll = (secrets: readonly SealedSecret[], cause: SecretCause) =>
    forEachOwner(
      secrets,
      ({ owner }) => owner,
      (owner, ofOwner) => {
        const entries = ofOwner.map((secret) => entryOf(secret, cause))
        return streams.append(owner, entries, 'any', cause === null ? undefined : sealedIdOf(owner, cause.id))
      },
    )

  return {
    keepWithEvent: (secrets, revision, eventId) => storeAll(secrets, { revision, id: eventId }),
    readSecrets: async (...owners) => (await Promise.all([...owners].sort().map(readOwner))).flat(),
    writeSecrets: async (secrets) => {
      try {
        await storeAll(secrets, null)
      } catch (error) {
        throw toUnavailable('the secrets cannot be stored', error)
      }
    },
    // Reads only streams in which the key occurs.
    secretsSealedWith: async (keyId, after, limit) => {
      if (after === undefined || index === undefined) index = await readVaultIndex(connection)
      const owners = [...index]
        .filter(([owner, keys]) => keys.has(keyId) && (after === undefined || owner >= after.owner))
        .map(([owner]) => owner)
        .sort()
      const page: SealedSecret[] = []
      while (owners.length > 0 && page.length < limit) {
        const read = await Promise.all(owners.splice(0, Math.min(OWNERS_AT_A_TIME, limit)).map(readOwner))
        for (const secret of read.flat()) {
          const isBehind = after === undefined || secret.owner > after.owner || secret.field > after.field
          if (secret.key_id === keyId && isBehind) page.push(secret)
        }
      }
      return page.slice(0, limit)
    },
    exchangeSecrets: (exchanges) => forEachOwner(exchanges, ({ old }) => old.owner, exchangeOfOwner),
    eraseSecrets: async (owner) => {
      try {
        await streams.erase(owner)
      } catch (error) {
        throw toUnavailable('the secrets cannot be deleted', error)
      }
    },
  }
}
