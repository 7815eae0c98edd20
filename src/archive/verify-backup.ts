import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { growTree } from '../audit/merkle-tree.ts'
import { BEGINNING, type EventStore } from '../event-store/event-store.ts'
import { findDamage } from '../event-store/sqlite/copy.ts'
import { openSqliteStore } from '../event-store/sqlite/store.ts'
import { decodeEvent, leafHash, UndecodableEvent } from '../event-store/stored-event.ts'

/** What the copied log must contain: its length, and a hash over all of it. */
export interface BackupCheckpoint {
  /** The version of this shape. */
  readonly version: 1
  readonly origin: string
  readonly log_id: string
  readonly events: number
  /** The id of the last event. */
  readonly last_event: string | null
  /** The head of the Merkle tree over the events (RFC 6962), in base64. */
  readonly root: string
  /** The ids of the vault keys needed to read the secrets of the SUTs. */
  readonly vault_keys: readonly string[]
  readonly made_at: string
}

/** What a directory says of the backup in it; nothing if there is none. */
export const readBackupCheckpoint = async (directory: string): Promise<Partial<BackupCheckpoint>> => {
  try {
    return JSON.parse(await readFile(join(directory, 'checkpoint.json'), 'utf8')) ?? {}
  } catch {
    return {}
  }
}

/** Opens an embedded log to read it, while a service may write it. @throws UnusableLog */
export const openLogFile = (path: string): EventStore =>
  openSqliteStore({
    ...{ path, readOnly: true, randomHex: () => '' },
    onFatal: (error) => {
      throw error
    },
  })

/**
 * Problems of a copied log, as sentences. Empty when the file is intact, every event can be read, and together they
 * match the checkpoint. Hashes are computed from the events, not taken from those that are stored.
 */
export const findProblems = async (
  path: string,
  checkpoint: BackupCheckpoint,
  onProgress: (done: number) => void,
): Promise<readonly string[]> => {
  const damage = findDamage(path)
  if (damage.length > 0) return damage.slice(0, 5)
  await using store = openLogFile(path)
  const tree = growTree()
  let last: string | null = null
  try {
    for await (const page of store.records(BEGINNING)) {
      for (const { storePosition, text, leaf } of page) {
        const own = leafHash(text)
        if (storePosition !== tree.size()) return [`the event at ${tree.size()} is missing`]
        if (leaf === undefined || !own.equals(leaf)) return [`the event at ${storePosition} does not match its hash`]
        last = decodeEvent(text, storePosition).id
        tree.add(own)
      }
      onProgress(tree.size())
    }
  } catch (error) {
    if (error instanceof UndecodableEvent) return [error.message]
    throw error
  }
  if (tree.size() !== checkpoint.events) return [`it has ${tree.size()} events, the log had ${checkpoint.events}`]
  if (last !== checkpoint.last_event) return ['its last event is not the last event of the log']
  return tree.root().toString('base64') === checkpoint.root ? [] : ['its Merkle root differs from that of the log']
}
