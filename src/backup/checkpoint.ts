import { growTree } from '../audit/merkle-tree.ts'

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

/** The head of the tree over leaf hashes, in base64. */
export const rootOf = (leaves: Iterable<Uint8Array>): string => {
  const tree = growTree()
  for (const leaf of leaves) tree.add(leaf)
  return Buffer.from(tree.root()).toString('base64')
}
