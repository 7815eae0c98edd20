import { hash, randomUUID } from 'node:crypto'
import { type AppendExpectedRevision, jsonEvent } from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { integer, text } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { parseOwner, type SealedSecret } from '../../domain/sealed-secret.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { sutStream, tokenStream, USERS_STREAM, WEBHOOKS_STREAM } from '../../domain/values/ids.ts'
import { type SecretExchange, type SecretStore, StoreUnavailable } from '../event-store.ts'
import { type StoreConnection, toUnavailable } from './server/connection.ts'
import { faultOf } from './server/faults.ts'
import { type ReadPage, readLastEvents } from './server/read.ts'

/**
 * Sealed secrets are stored in streams named `vault-<owner>`. There are no transactions across streams, so a secret is
 * written before the event that names it. It becomes current when that event is in the log.
 */
const PREFIX = 'vault-'
const TYPE = 'SecretsSealed'

const PAGE_SIZE = 256
/** How long a write is retried, and the timeout of one attempt. */
const WRITE_TIMEOUT_MS = 8_000
const ATTEMPT_TIMEOUT_MS = 3_000
/** Attempts at a change under concurrent changes. */
const ATTEMPTS_MAX = 8
/** Owners read at a time, of 90 calls that a connection allows (server/connection.ts). */
const OWNERS_AT_A_TIME = 16
/** More events than a vault has. */
const EVENTS_MAX = 2 ** 31 - 1

/**
 * The event a secret belongs to, by its place in the stream of its SUT, of all users or of a user's tokens; null if no
 * event names it.
 */
const SecretCause = t.union([
  t.null,
  closed('cause', { revision: integer(0, Number.MAX_SAFE_INTEGER), id: text(36, 36) }, {}),
])
type SecretCause = t.TypeOf<typeof SecretCause>

const VaultEntry = closed(
  'entry',
  { field: text(0, 64), id: text(1, 64), key_id: text(1, 256), cause: SecretCause },
  /** Base64. Absent if the secret was removed. */
  { nonce: text(0, 64), ciphertext: text(0, 65_536) },
)
const VaultEntries = closed(TYPE, { secrets: t.readonlyArray(VaultEntry) }, {})
type VaultEntry = t.TypeOf<typeof VaultEntry>

const entryOf = ({ field, id, key_id, nonce, ciphertext }: SealedSecret, cause: SecretCause): VaultEntry => ({
  field,
  id,
  key_id,
  cause,
  nonce: Buffer.from(nonce).toString('base64'),
  ciphertext: Buffer.from(ciphertext).toString('base64'),
})

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

const secretOf = (owner: string, { field, id, key_id, nonce, ciphertext }: VaultEntry): SealedSecret | undefined =>
  nonce === undefined || ciphertext === undefined
    ? undefined
    : { owner, field, id, key_id, nonce: bytes(nonce), ciphertext: bytes(ciphertext) }

/** Entries to write for the exchanges that still apply. */
const entriesOf = (
  current: ReadonlyMap<string, VaultEntry>,
  exchanges: readonly SecretExchange[],
): readonly VaultEntry[] =>
  exchanges.flatMap(({ old, next }) => {
    const now = current.get(old.field)
    if (now?.nonce === undefined || old.id !== now.id || old.key_id !== now.key_id) return []
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

/**
 * Makes the function that says whether the event that set a secret is in the log. Users and tokens share streams, of
 * which each page is read once, so use it for one reading only.
 */
const makeIsInLog = (readPage: ReadPage) => {
  const pages = new Map<string, Promise<readonly string[]>>()
  return async (owner: string, cause: SecretCause): Promise<boolean> => {
    if (cause === null) return true
    const { kind, id } = parseOwner(owner)
    const stream = { SUT: sutStream, user: () => USERS_STREAM, tokens: tokenStream, webhook: () => WEBHOOKS_STREAM }[
      kind
    ](id)
    // Few events of a SUT name secrets.
    const size = kind === 'SUT' ? 1 : PAGE_SIZE
    const from = cause.revision - (cause.revision % size)
    const name = `${from} ${stream}`
    const page =
      pages.get(name) ?? readPage(stream, from, size).then((events) => (events ?? []).map((event) => event.id))
    pages.set(name, page)
    return (await page)[cause.revision - from] === cause.id
  }
}

interface VaultStream {
  readonly revision: number
  /** The current entry of each field: that of the latest event, and among those the last written. */
  readonly current: ReadonlyMap<string, VaultEntry>
}

const makeReadVault =
  (readPage: ReadPage) =>
  async (owner: string, isInLog = makeIsInLog(readPage)): Promise<VaultStream> => {
    const entries: VaultEntry[] = []
    let revision = -1
    for (let isEnd = false; !isEnd; ) {
      const page = (await readPage(PREFIX + owner, revision + 1, PAGE_SIZE)) ?? []
      for (const event of page) {
        const decoded = VaultEntries.decode(event.data)
        if (E.isLeft(decoded)) throw new StoreUnavailable(`${PREFIX}${owner}@${event.revision} cannot be read`)
        entries.push(...decoded.right.secrets)
        revision = Number(event.revision)
      }
      isEnd = page.length < PAGE_SIZE
    }
    const current = new Map<string, VaultEntry>()
    for (const [field, own] of Map.groupBy(entries, (entry) => entry.field)) {
      const latestFirst = own.toReversed().toSorted((a, b) => (b.cause?.revision ?? -1) - (a.cause?.revision ?? -1))
      for (const entry of latestFirst) {
        if (!(await isInLog(owner, entry.cause))) continue
        current.set(field, entry)
        break
      }
    }
    return { revision, current }
  }

const makeWrites = (connection: StoreConnection, readPage: ReadPage) => {
  const nameOf = (owner: string): string => connection.prefix + PREFIX + owner

  const append = (
    owner: string,
    entries: readonly VaultEntry[],
    expectedRevision: AppendExpectedRevision,
    id: string = randomUUID(),
  ) => {
    const event = jsonEvent({ id, type: TYPE, data: { secrets: entries } })
    return connection.persist(WRITE_TIMEOUT_MS, (client) =>
      client.append(nameOf(owner), event, expectedRevision, ATTEMPT_TIMEOUT_MS),
    )
  }

  return {
    append,
    storeAll: async (secrets: readonly SealedSecret[], cause: SecretCause): Promise<void> => {
      const owners = [...Map.groupBy(secrets, ({ owner }) => owner)]
      const store = ([owner, own]: (typeof owners)[number]) => {
        const entries = own.map((secret) => entryOf(secret, cause))
        return append(owner, entries, 'any', cause === null ? undefined : sealedIdOf(owner, cause.id))
      }
      await Promise.all(owners.map(store))
    },
    /**
     * Deletes a stream. A scavenge keeps the last event of a deleted stream, so that one has no secrets. A tombstone
     * would refuse all later appends.
     */
    erase: async (owner: string): Promise<void> => {
      if ((await readPage(PREFIX + owner, 0, 1)) === undefined) return
      const { nextExpectedRevision: expectedRevision } = await append(owner, [], 'any')
      const options = { expectedRevision, deadline: ATTEMPT_TIMEOUT_MS, requiresLeader: true }
      await connection.persist(WRITE_TIMEOUT_MS, (client) => client.deleteStream(nameOf(owner), options))
    },
  }
}

/** Makes a change, and again if another process has come before it. @throws StoreUnavailable */
const persistently = async (what: string, change: () => Promise<unknown>): Promise<void> => {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      await change()
      return
    } catch (error) {
      if (faultOf(error) !== 'moved') throw toUnavailable(what, error)
    }
  }
  throw new StoreUnavailable(`${what}: too many concurrent changes`)
}

/** Whoever has, or has had, secrets: `$all` contains a deleted stream until a scavenge. */
const readOwners = async (connection: StoreConnection): Promise<readonly string[]> => {
  const prefix = connection.prefix + PREFIX
  const all = await readLastEvents(connection, [prefix], EVENTS_MAX).catch((error: unknown) => {
    throw toUnavailable('the secrets cannot be listed', error, ' to $all')
  })
  return [...new Set(all.map(({ streamId }) => streamId.slice(prefix.length)))].sort()
}

interface Secrets extends SecretStore {
  /** Stores secrets that become current when the event with that revision and id is in the log. */
  readonly keepWithEvent: (secrets: readonly SealedSecret[], revision: number, eventId: string) => Promise<void>
}

export const makeSecrets = (connection: StoreConnection, readPage: ReadPage): Secrets => {
  const readVault = makeReadVault(readPage)
  const { append, storeAll, erase } = makeWrites(connection, readPage)
  /** As of the listing that began last. */
  let known: readonly string[] | undefined

  const readSecrets = async (...owners: readonly string[]): Promise<readonly SealedSecret[]> => {
    const isInLog = makeIsInLog(readPage)
    const ofOwner = async (owner: string): Promise<readonly SealedSecret[]> => {
      const { current } = await readVault(owner, isInLog)
      const entries = [...current.values()].toSorted((a, b) => (a.field < b.field ? -1 : 1))
      return entries.flatMap((entry) => secretOf(owner, entry) ?? [])
    }
    return (await Promise.all([...owners].sort().map(ofOwner))).flat()
  }

  const exchange = async (owner: string, exchanges: readonly SecretExchange[]): Promise<void> => {
    const { revision, current } = await readVault(owner)
    const entries = entriesOf(current, exchanges)
    if (entries.length > 0) await append(owner, entries, BigInt(revision))
  }

  return {
    keepWithEvent: (secrets, revision, eventId) => storeAll(secrets, { revision, id: eventId }),
    readSecrets,
    writeSecrets: async (secrets) =>
      storeAll(secrets, null).catch((error: unknown) => {
        throw toUnavailable('the secrets cannot be stored', error)
      }),
    secretsSealedWith: async (keyId, after, limit) => {
      if (after === undefined || known === undefined) known = await readOwners(connection)
      const owners = known.filter((owner) => after === undefined || owner >= after.owner)
      const page: SealedSecret[] = []
      while (owners.length > 0 && page.length < limit) {
        for (const secret of await readSecrets(...owners.splice(0, Math.min(OWNERS_AT_A_TIME, limit)))) {
          const isLater = after === undefined || secret.owner > after.owner || secret.field > after.field
          if (secret.key_id === keyId && isLater) page.push(secret)
        }
      }
      return page.slice(0, limit)
    },
    exchangeSecrets: async (exchanges) => {
      const owners = [...Map.groupBy(exchanges, ({ old }) => old.owner)]
      await Promise.all(
        owners.map(([owner, own]) => persistently('the secrets cannot be stored', () => exchange(owner, own))),
      )
    },
    eraseSecrets: (owner) => persistently('the secrets cannot be deleted', () => erase(owner)),
  }
}
