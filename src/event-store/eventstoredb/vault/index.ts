import * as E from 'fp-ts/lib/Either.js'
import { type StoreConnection, toUnavailable } from '../server/connection.ts'
import { readLastEvents } from '../server/read.ts'
import { VAULT_PREFIX, VaultEntries } from './streams.ts'

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
export const readVaultIndex = async (
  connection: StoreConnection,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
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
