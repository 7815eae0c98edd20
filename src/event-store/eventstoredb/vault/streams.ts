import { randomUUID } from 'node:crypto'
import { type AppendExpectedRevision, jsonEvent } from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { LRUCache } from 'lru-cache'
import { integer, text } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { parseOwner, type SealedSecret } from '../../../domain/sealed-secret.ts'
import { sutStream, tokenStream, USERS_STREAM } from '../../../domain/values/ids.ts'
import { StoreUnavailable } from '../../event-store.ts'
import type { StoreConnection } from '../server/connection.ts'
import { faultOf } from '../server/faults.ts'
import type { ReadPage } from '../server/read.ts'

/**
 * Sealed secrets are stored in streams named `vault-<owner>`. There are no transactions across streams, so a secret is
 * written before the event that names it. It becomes current when that event is in the log.
 */

/** Prefix of the stream names. */
export const VAULT_PREFIX = 'vault-'

const TYPE = 'SecretsSealed'
const PAGE = 256
/** How long a write is retried, and the timeout of one attempt. */
const WRITE_TIMEOUT_MS = 8_000
const ATTEMPT_TIMEOUT_MS = 3_000
/** Attempts at a change under concurrent changes. */
export const ATTEMPTS_MAX = 8

/**
 * The event a secret belongs to, by its place in the stream of its SUT, of all users or of a user's tokens; null if no
 * event names it.
 */
const SecretCause = t.union([
  t.null,
  closed('cause', { revision: integer(0, Number.MAX_SAFE_INTEGER), id: text(36, 36) }, {}),
])
export type SecretCause = t.TypeOf<typeof SecretCause>

const VaultEntry = closed(
  'entry',
  { field: text(0, 64), id: text(1, 64), key_id: text(1, 256), cause: SecretCause },
  /** Base64. Absent if the secret was removed. */
  { nonce: text(0, 64), ciphertext: text(0, 65_536) },
)
export const VaultEntries = closed('SecretsSealed', { secrets: t.readonlyArray(VaultEntry) }, {})
export type VaultEntry = t.TypeOf<typeof VaultEntry>

export const entryOf = ({ field, id, key_id, nonce, ciphertext }: SealedSecret, cause: SecretCause): VaultEntry => ({
  field,
  id,
  key_id,
  cause,
  nonce: Buffer.from(nonce).toString('base64'),
  ciphertext: Buffer.from(ciphertext).toString('base64'),
})

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

export const secretOf = (owner: string, entry: VaultEntry): SealedSecret | undefined => {
  const { field, id, key_id, nonce, ciphertext } = entry
  if (nonce === undefined || ciphertext === undefined) return undefined
  return { owner, field, id, key_id, nonce: bytes(nonce), ciphertext: bytes(ciphertext) }
}

/** Pages of streams that are remembered. */
const PAGES_MAX = 256

/**
 * Whether an event is in a stream that names many secrets. Its pages are remembered as far as they go, and read once for
 * all secrets that are read at the same time.
 */
const makeIsInStream = (readPage: ReadPage) => {
  const pages = new LRUCache<string, Promise<readonly string[]>>({ max: PAGES_MAX })
  return async (stream: string, revision: number, id: string): Promise<boolean> => {
    const from = revision - (revision % PAGE)
    const page = `${from} ${stream}`
    const has = async (ids?: Promise<readonly string[]>): Promise<boolean> => (await ids)?.[revision - from] === id
    const remembered = pages.get(page)
    if (await has(remembered)) return true
    // What was read before may not contain the event yet.
    if (pages.get(page) === remembered) {
      const ids = readPage(stream, from, PAGE).then((events) => (events ?? []).map((event) => event.id))
      pages.set(page, ids)
      ids.catch(() => pages.delete(page))
    }
    return has(pages.get(page))
  }
}

/** Whether the event that set a secret is in the log. */
const makeIsInLog = (readPage: ReadPage): ((owner: string, cause: SecretCause) => Promise<boolean>) => {
  const isInStream = makeIsInStream(readPage)
  return async (owner, cause) => {
    if (cause === null) return true
    const { kind, id } = parseOwner(owner)
    if (kind !== 'SUT') return isInStream(kind === 'user' ? USERS_STREAM : tokenStream(id), cause.revision, cause.id)
    const [event] = (await readPage(sutStream(id), cause.revision, 1)) ?? []
    return event?.id === cause.id
  }
}

/** The content of an owner's vault stream. */
export interface VaultStream {
  readonly revision: number
  /** The current entry of each field: that of the latest event, and among those the last written. */
  readonly current: ReadonlyMap<string, VaultEntry>
}

export const makeVaultStreams = (connection: StoreConnection, readPage: ReadPage) => {
  const { prefix } = connection
  const isInLog = makeIsInLog(readPage)

  const read = async (owner: string): Promise<VaultStream> => {
    const entries: VaultEntry[] = []
    let revision = -1
    for (let isEnd = false; !isEnd; ) {
      const page = (await readPage(VAULT_PREFIX + owner, revision + 1, PAGE)) ?? []
      for (const event of page) {
        const decoded = VaultEntries.decode(event.data)
        if (E.isLeft(decoded)) throw new StoreUnavailable(`${VAULT_PREFIX}${owner}@${event.revision} cannot be read`)
        entries.push(...decoded.right.secrets)
        revision = Number(event.revision)
      }
      isEnd = page.length < PAGE
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

  const append = (
    owner: string,
    entries: readonly VaultEntry[],
    expectedRevision: AppendExpectedRevision,
    id: string = randomUUID(),
  ) => {
    const event = jsonEvent({ id, type: TYPE, data: { secrets: entries } })
    return connection.persist(WRITE_TIMEOUT_MS, (client) =>
      client.append(prefix + VAULT_PREFIX + owner, event, expectedRevision, ATTEMPT_TIMEOUT_MS),
    )
  }

  /**
   * Deletes a stream. A scavenge keeps the last event of a deleted stream, so that one has no secrets. A tombstone would
   * refuse all later appends.
   */
  const erase = async (owner: string): Promise<void> => {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      if ((await readPage(VAULT_PREFIX + owner, 0, 1)) === undefined) return
      const { nextExpectedRevision: expectedRevision } = await append(owner, [], 'any')
      const options = { expectedRevision, deadline: ATTEMPT_TIMEOUT_MS, requiresLeader: true }
      try {
        await connection.persist(WRITE_TIMEOUT_MS, (client) =>
          client.deleteStream(prefix + VAULT_PREFIX + owner, options),
        )
        return
      } catch (error) {
        if (faultOf(error) !== 'moved') throw error
      }
    }
    throw new StoreUnavailable('too many concurrent changes')
  }

  return { read, append, erase }
}
