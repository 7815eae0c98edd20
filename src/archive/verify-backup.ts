import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { growTree } from '../audit/merkle-tree.ts'
import { findDamage, readStoredEvents } from '../event-store/sqlite/copy.ts'
import { decodeEvent, leafHash, UndecodableEvent } from '../event-store/stored-event.ts'

/** What the copied log must contain: its length, and a hash over all of it. */
export interface BackupCheckpoint {
  /** The version of this shape. */
  readonly version: 1
  readonly origin: string
  readonly log_id: string
  /** The number of events. */
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

/** Events between two calls of `onProgress`. */
export const PROGRESS_EVERY = 10_000

/**
 * Problems of a copied log, as sentences. Empty when the file is intact, every event can be read, and together they
 * match the checkpoint. Hashes are computed from the events, not taken from those that are stored.
 */
export const findProblems = (
  path: string,
  checkpoint: BackupCheckpoint,
  onProgress: (done: number) => void,
): readonly string[] => {
  const damage = findDamage(path)
  if (damage.length > 0) return damage.slice(0, 5)
  const tree = growTree()
  let last: string | null = null
  try {
    for (const { position, recorded, leaf } of readStoredEvents(path, Number.MAX_SAFE_INTEGER)) {
      const own = leafHash(recorded)
      if (position !== tree.size()) return [`the event at ${tree.size()} is missing`]
      if (!own.equals(leaf)) return [`the event at ${position} does not match its hash`]
      last = decodeEvent(recorded, position).id
      tree.add(own)
      if (tree.size() % PROGRESS_EVERY === 0) onProgress(tree.size())
    }
  } catch (error) {
    if (error instanceof UndecodableEvent) return [error.message]
    throw error
  }
  if (tree.size() !== checkpoint.events) return [`it has ${tree.size()} events, the log had ${checkpoint.events}`]
  if (last !== checkpoint.last_event) return ['its last event is not the last event of the log']
  const root = Buffer.from(tree.root()).toString('base64')
  return root === checkpoint.root ? [] : ['its Merkle root differs from that of the log']
}
