import { hashNode } from '../../projections/merkle-tree.ts'
import { HASH_BYTES } from '../event-store/stored-event.ts'
import { sha256 } from './sha256.ts'

/** A tree that keeps all nodes in memory (64 bytes per leaf) and serves proofs. */
export interface KeptTree {
  readonly add: (leaf: Uint8Array) => void
  readonly size: () => number
  /** @throws RangeError if there are fewer leaves */
  readonly node: (level: number, index: number) => Uint8Array
}

/** A growable array of hashes. */
const makeRow = () => {
  let bytes = new Uint8Array(HASH_BYTES * 64)
  let count = 0
  return {
    count: () => count,
    push: (hash: Uint8Array): void => {
      if ((count + 1) * HASH_BYTES > bytes.length) {
        const larger = new Uint8Array(bytes.length * 2)
        larger.set(bytes)
        bytes = larger
      }
      bytes.set(hash, HASH_BYTES * count++)
    },
    at: (index: number): Uint8Array => {
      if (!(index >= 0 && index < count)) throw new RangeError('the tree has fewer leaves')
      return bytes.subarray(HASH_BYTES * index, HASH_BYTES * (index + 1))
    },
  }
}

export const makeKeptTree = (): KeptTree => {
  const rows = [makeRow()]
  const rowAt = (level: number) => {
    rows[level] ??= makeRow()
    return rows[level]
  }
  return {
    add: (leaf) => {
      let hash = leaf
      for (let level = 0; ; level++) {
        const row = rowAt(level)
        row.push(hash)
        if (row.count() % 2 === 1) return
        hash = hashNode(row.at(row.count() - 2), row.at(row.count() - 1), sha256)
      }
    },
    size: () => rowAt(0).count(),
    node: (level, index) => {
      const row = rows[level]
      if (row === undefined) throw new RangeError('the tree has fewer leaves')
      return row.at(index)
    },
  }
}
