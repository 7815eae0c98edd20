import { randomUUID } from 'node:crypto'
import {
  type AllStreamSubscription,
  type AppendExpectedRevision,
  type Credentials,
  jsonEvent,
  type Position,
  type RecordedEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { closed, integer, text } from '../domain/codec.ts'
import { sutStream } from '../domain/ids.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { type EventStore, type SecretExchange, StoreUnavailable } from './event-store.ts'
import { type Connection, unavailable } from './eventstoredb-connection.ts'
import { faultOf } from './eventstoredb-faults.ts'
import type { ReadPage } from './eventstoredb-read.ts'

/**
 * Sealed secrets stand in streams of their own, `vault-<sut id>`. There is no transaction over two streams: a secret is
 * written before the event that names it, and counts from the moment on at which that event is in the log.
 */

/** The event that a secret came with, by its place in the SUT's stream; none where no event names it. */
const Cause = t.union([
  t.null,
  closed('cause', { revision: integer(0, Number.MAX_SAFE_INTEGER), id: text(36, 36) }, {}),
])
type Cause = t.TypeOf<typeof Cause>

const Entry = closed(
  'entry',
  { field: text(0, 64), id: text(1, 64), key_id: text(1, 256), cause: Cause },
  /** In base64. Absent where the secret was removed. */
  { nonce: text(0, 64), ciphertext: text(0, 65_536) },
)
const Entries = closed('SecretsSealed', { secrets: t.readonlyArray(Entry) }, {})
type Entry = t.TypeOf<typeof Entry>

const TYPE = 'SecretsSealed'
const PREFIX = 'vault-'
const PAGE = 256
const WRITE_WITHIN = 8_000
const ATTEMPT_WITHIN = 3_000
const LIST_WITHIN = 30_000
/** Attempts at an exchange that others get in the way of. */
const ATTEMPTS_MAX = 8

const entryOf = ({ field, id, key_id, nonce, ciphertext }: SealedSecret, cause: Cause): Entry => ({
  field,
  id,
  key_id,
  cause,
  nonce: Buffer.from(nonce).toString('base64'),
  ciphertext: Buffer.from(ciphertext).toString('base64'),
})

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

const secretOf = (sut_id: string, entry: Entry): SealedSecret | undefined => {
  const { field, id, key_id, nonce, ciphertext } = entry
  if (nonce === undefined || ciphertext === undefined) return undefined
  return { sut_id, field, id, key_id, nonce: bytes(nonce), ciphertext: bytes(ciphertext) }
}

const isSame = (a: SealedSecret, b: Entry): boolean => a.field === b.field && a.id === b.id && a.key_id === b.key_id

/** A SUT's stream of secrets, as it was read. */
interface Kept {
  readonly revision: number
  /** What stands in each field: that of the latest event, and of those the latest written. */
  readonly standing: ReadonlyMap<string, Entry>
}

type Secrets = Pick<EventStore, 'readSecrets' | 'writeSecrets' | 'secretsSealedWith' | 'exchangeSecrets'> & {
  readonly keepWithEvent: (secrets: readonly SealedSecret[], revision: number, eventId: string) => Promise<void>
}

const makeStreams = (connection: Connection, credentials: Credentials, readPage: ReadPage) => {
  const read = async (sutId: string): Promise<{ revision: number; entries: readonly Entry[] }> => {
    const entries: Entry[] = []
    let revision = -1
    for (;;) {
      const page = (await readPage(PREFIX + sutId, revision + 1, PAGE)) ?? []
      for (const event of page) {
        const decoded = Entries.decode(event.data)
        if (E.isLeft(decoded)) throw new StoreUnavailable(`${PREFIX}${sutId}@${event.revision} cannot be read`)
        entries.push(...decoded.right.secrets)
        revision = Number(event.revision)
      }
      if (page.length < PAGE) return { revision, entries }
    }
  }

  const isInLog = async (sutId: string, cause: Cause): Promise<boolean> => {
    if (cause === null) return true
    const [event] = (await readPage(sutStream(sutId), cause.revision, 1)) ?? []
    return event?.id === cause.id
  }

  const append = (sutId: string, entries: readonly Entry[], expectedRevision: AppendExpectedRevision, id: string) =>
    connection.persist(WRITE_WITHIN, (client) =>
      client.appendToStream(PREFIX + sutId, jsonEvent({ id, type: TYPE, data: { secrets: entries } }), {
        expectedRevision,
        credentials,
        deadline: ATTEMPT_WITHIN,
        requiresLeader: true,
      }),
    )

  return {
    append,
    keptOf: async (sutId: string): Promise<Kept> => {
      const { revision, entries } = await read(sutId)
      const standing = new Map<string, Entry>()
      for (const field of new Set(entries.map((entry) => entry.field))) {
        const latestFirst = entries
          .filter((entry) => entry.field === field)
          .reverse()
          .toSorted((a, b) => (b.cause?.revision ?? -1) - (a.cause?.revision ?? -1))
        for (const entry of latestFirst) {
          if (!(await isInLog(sutId, entry.cause))) continue
          standing.set(field, entry)
          break
        }
      }
      return { revision, standing }
    },
  }
}

/** Everything that is there now, in order; what came before the server says that it is all has been passed on by then. */
const untilCaughtUp = (subscription: AllStreamSubscription, take: (event: RecordedEvent) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    let isCaughtUp = false
    const drain = (): void => {
      for (let next = subscription.read(); next !== null; next = subscription.read()) {
        if (next.event !== undefined) take(next.event)
      }
      if (isCaughtUp) resolve()
    }
    subscription.on('readable', drain)
    subscription.on('caughtUp', () => {
      isCaughtUp = true
      setImmediate(drain)
    })
    subscription.on('error', reject)
    subscription.on('close', () => reject(new Error('the subscription has ended')))
    setTimeout(() => reject(new Error('the event store does not answer')), LIST_WITHIN).unref()
  })

/** The SUTs that have secrets, with the ids of the keys that any of these was ever sealed with; read on at each asking. */
const makeIndex = (connection: Connection, credentials: Credentials) => {
  const keysOf = new Map<string, Set<string>>()
  let last: Position | typeof START = START

  const take = ({ streamId, data, position }: RecordedEvent): void => {
    const sutId = streamId.slice(PREFIX.length)
    const keys = keysOf.get(sutId) ?? new Set()
    keysOf.set(sutId, keys)
    const decoded = Entries.decode(data)
    if (E.isRight(decoded)) for (const { key_id } of decoded.right.secrets) keys.add(key_id)
    last = position ?? last
  }

  return async (): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
    try {
      await connection.persist(WRITE_WITHIN, async (client) => {
        const filter = streamNameFilter({ prefixes: [PREFIX] })
        const subscription = client.subscribeToAll({ fromPosition: last, filter, credentials })
        try {
          await untilCaughtUp(subscription, take)
        } finally {
          subscription.on('error', () => undefined)
          void subscription.unsubscribe().catch(() => undefined)
          subscription.destroy()
        }
      })
      return keysOf
    } catch (error) {
      throw unavailable('the secrets cannot be listed', error)
    }
  }
}

const bySut = <A>(all: readonly A[], sutOf: (one: A) => string): ReadonlyMap<string, readonly A[]> =>
  Map.groupBy(all, sutOf)

/** What of some exchanges still stands to be exchanged, as entries to be written. */
const entriesOf = ({ standing }: Kept, exchanges: readonly SecretExchange[]): readonly Entry[] =>
  exchanges.flatMap(({ old, next }) => {
    const now = standing.get(old.field)
    if (now?.nonce === undefined || !isSame(old, now)) return []
    const { field, id, key_id, cause } = now
    return [next === undefined ? { field, id, key_id, cause } : entryOf(next, cause)]
  })

export const makeSecrets = (
  commands: Connection,
  listing: Connection,
  credentials: Credentials,
  readPage: ReadPage,
): Secrets => {
  const { append, keptOf } = makeStreams(commands, credentials, readPage)
  const index = makeIndex(listing, credentials)

  const readSecrets = async (sutId: string): Promise<readonly SealedSecret[]> => {
    const { standing } = await keptOf(sutId)
    return [...standing.values()]
      .map((entry) => secretOf(sutId, entry))
      .filter((secret) => secret !== undefined)
      .toSorted((a, b) => (a.field < b.field ? -1 : 1))
  }

  const exchangeOf = async (sutId: string, exchanges: readonly SecretExchange[]): Promise<void> => {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const kept = await keptOf(sutId)
      const entries = entriesOf(kept, exchanges)
      if (entries.length === 0) return
      try {
        await append(sutId, entries, BigInt(kept.revision), randomUUID())
        return
      } catch (error) {
        if (faultOf(error) !== 'moved') throw unavailable('the secrets cannot be kept', error)
      }
    }
    throw new StoreUnavailable('the secrets cannot be kept: others change them at the same time')
  }

  return {
    keepWithEvent: async (secrets, revision, eventId) => {
      const cause = { revision, id: eventId }
      for (const [sutId, ofSut] of bySut(secrets, ({ sut_id }) => sut_id)) {
        const entries = ofSut.map((secret) => entryOf(secret, cause))
        await append(sutId, entries, 'any', eventId)
      }
    },
    readSecrets,
    writeSecrets: async (secrets) => {
      try {
        for (const [sutId, ofSut] of bySut(secrets, ({ sut_id }) => sut_id)) {
          const entries = ofSut.map((secret) => entryOf(secret, null))
          await append(sutId, entries, 'any', randomUUID())
        }
      } catch (error) {
        throw unavailable('the secrets cannot be kept', error)
      }
    },
    secretsSealedWith: async (keyId, after, limit) => {
      const keysOf = await index()
      const found: SealedSecret[] = []
      for (const sutId of [...keysOf.keys()].sort()) {
        if (found.length >= limit) break
        if (!keysOf.get(sutId)?.has(keyId) || (after !== undefined && sutId < after.sut_id)) continue
        for (const secret of await readSecrets(sutId)) {
          const isBehind = after === undefined || sutId > after.sut_id || secret.field > after.field
          if (secret.key_id === keyId && isBehind) found.push(secret)
        }
      }
      return found.slice(0, limit)
    },
    exchangeSecrets: async (exchanges) => {
      for (const [sutId, ofSut] of bySut(exchanges, ({ old }) => old.sut_id)) await exchangeOf(sutId, ofSut)
    },
  }
}
