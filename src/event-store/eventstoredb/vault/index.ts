import {
  type AllStreamSubscription,
  type Position,
  type RecordedEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import * as E from 'fp-ts/lib/Either.js'
import { type StoreConnection, toUnavailable } from '../server/connection.ts'
import { VAULT_PREFIX, VaultEntries } from './entry.ts'

/** How long the listing is retried, and the timeout of one attempt. */
const READ_TIMEOUT_MS = 8_000
const LIST_TIMEOUT_MS = 30_000

/**
 * Reads all existing events in order. Everything before the server's caught-up message has been passed on when this
 * resolves.
 */
const readUntilCaughtUp = (subscription: AllStreamSubscription, take: (event: RecordedEvent) => void): Promise<void> =>
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
  })

/** Prefix of the streams of metadata. */
const METADATA = '$$'

/** Whether metadata deletes its stream: it then begins at 2^63 - 1, which JavaScript rounds. */
const isDeletion = (data: unknown): boolean =>
  Number((data as { $tb?: unknown } | undefined)?.$tb) >= Number.MAX_SAFE_INTEGER

/**
 * Returns the owners of secrets and the ids of all keys ever used for them. Each call reads only new events. `$all`
 * contains a deleted stream until a scavenge, and the event that deleted it.
 */
export const makeVaultIndex = (connection: StoreConnection) => {
  const prefix = connection.prefix + VAULT_PREFIX
  const keysOf = new Map<string, Set<string>>()
  let last: Position | typeof START = START

  const take = ({ streamId, data, position }: RecordedEvent): void => {
    last = position ?? last
    if (streamId.startsWith(METADATA)) {
      if (isDeletion(data)) keysOf.delete(streamId.slice(METADATA.length + prefix.length))
      return
    }
    const owner = streamId.slice(prefix.length)
    const keys = keysOf.get(owner) ?? new Set()
    keysOf.set(owner, keys)
    const decoded = VaultEntries.decode(data)
    if (E.isRight(decoded)) for (const { key_id } of decoded.right.secrets) keys.add(key_id)
  }

  return async (): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
    try {
      await connection.persist(READ_TIMEOUT_MS, async (client) => {
        const filter = streamNameFilter({ prefixes: [prefix, METADATA + prefix] })
        const subscription = client.subscribeToAll({ fromPosition: last, filter })
        const timer = setTimeout(
          () => subscription.destroy(new Error('the event store does not answer')),
          LIST_TIMEOUT_MS,
        )
        try {
          await readUntilCaughtUp(subscription, take)
        } finally {
          clearTimeout(timer)
          subscription.on('error', () => undefined)
          void subscription.unsubscribe().catch(() => undefined)
          subscription.destroy()
        }
      })
      return keysOf
    } catch (error) {
      throw toUnavailable('the secrets cannot be listed', error, ' to $all')
    }
  }
}
