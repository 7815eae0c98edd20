import * as E from 'fp-ts/lib/Either.js'
import type { StorePosition } from '../../../domain/values/position.ts'
import { BEGINNING } from '../../event-store.ts'
import type { StoreConnection } from '../server/connection.ts'
import type { Follow } from '../server/follow.ts'
import { readLastEvents } from '../server/read.ts'
import { storePositionOf } from '../server/records.ts'
import type { StoreEvent } from '../server/requests.ts'
import { VAULT_PREFIX, VaultEntries } from './streams.ts'

/** Prefix of the streams of metadata. */
const METADATA = '$$'

/** Whether metadata deletes its stream: it then begins at 2^63 - 1, which JavaScript rounds. */
const isDeletion = (data: unknown): boolean =>
  Number((data as { $tb?: unknown } | undefined)?.$tb) >= Number.MAX_SAFE_INTEGER

/**
 * Returns the owners of secrets and the ids of all keys ever used for them. Each call reads only new events. `$all`
 * contains a deleted stream until a scavenge, and the event that deleted it.
 */
export const makeVaultIndex = (connection: StoreConnection, follow: Follow) => {
  const prefix = connection.prefix + VAULT_PREFIX
  const prefixes = [prefix, METADATA + prefix]
  const keysOf = new Map<string, Set<string>>()
  let last = BEGINNING

  const take = ({ streamId, data }: StoreEvent): void => {
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

  const head = async (): Promise<StorePosition> => {
    const [event] = await readLastEvents(connection, prefixes, 1)
    return event === undefined ? BEGINNING : storePositionOf(event)
  }

  const followed = {
    failure: 'the secrets cannot be listed',
    prefixes,
    as: (event: StoreEvent) => ({ event, storePosition: storePositionOf(event) }),
    head,
    begun: () => BEGINNING,
  }

  return async (): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
    for await (const { events, caughtUp } of follow(followed, last, new AbortController().signal)) {
      for (const { event, storePosition } of events) {
        take(event)
        last = storePosition
      }
      if (caughtUp) break
    }
    return keysOf
  }
}
