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

/** The head of the tree over leaf hashes, in base64. */
export const rootOf = (leaves: Iterable<Uint8Array>): string => {
  const tree = growTree()
  for (const leaf of leaves) tree.add(leaf)
  return Buffer.from(tree.root()).toString('base64')
}

/** Called periodically with the number of events verified. */
export type OnProgress = (done: number) => void

const EVERY = 10_000

/** State collected while reading a copy. */
interface Found {
  events: number
  last: string | null
  readonly problems: string[]
}

/** Leaf hashes computed from the events, not taken from the stored hashes. */
function* ownLeaves(path: string, found: Found, onProgress: OnProgress): Generator<Uint8Array> {
  for (const { position, recorded, leaf } of readStoredEvents(path, Number.MAX_SAFE_INTEGER)) {
    const own = leafHash(recorded)
    if (position !== found.events) found.problems.push(`the event at ${found.events} is missing`)
    if (!own.equals(leaf)) found.problems.push(`the event at ${position} does not match its hash`)
    found.last = decodeEvent(recorded, position).id
    found.events++
    if (found.events % EVERY === 0) onProgress(found.events)
    if (found.problems.length > 0) return
    yield own
  }
}

/**
 * Problems of a copied log, as sentences. Empty when the file is intact, every event can be read, and together they
 * match the checkpoint.
 */
export const findProblems = (path: string, checkpoint: BackupCheckpoint, onProgress: OnProgress): readonly string[] => {
  const damage = findDamage(path)
  if (damage.length > 0) return damage.slice(0, 5)
  const found: Found = { events: 0, last: null, problems: [] }
  let root: string
  try {
    root = rootOf(ownLeaves(path, found, onProgress))
  } catch (error) {
    if (error instanceof UndecodableEvent) return [error.message]
    throw error
  }
  if (found.problems.length > 0) return found.problems
  if (found.events !== checkpoint.events) return [`it has ${found.events} events, the log had ${checkpoint.events}`]
  if (found.last !== checkpoint.last_event) return ['its last event is not the last event of the log']
  return root === checkpoint.root ? [] : ['its Merkle root differs from that of the log']
}
