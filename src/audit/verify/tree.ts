import { hash } from 'node:crypto'
import { nodeHash } from '../../event-store/stored-event.ts'

/** The Merkle tree over a log (RFC 6962, section 2.1), built while reading it. */
export interface GrowingTree {
  readonly add: (leaf: Uint8Array) => void
  readonly size: () => number
  readonly root: () => Uint8Array
}

/** Like `withLeaf` of projections/merkle-tree.ts, but updates in place, since it runs for every event. */
export const growTree = (): GrowingTree => {
  /** Roots of its perfect subtrees, largest first. */
  const roots: Uint8Array[] = []
  let size = 0
  return {
    add: (leaf) => {
      let root = leaf
      for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) root = nodeHash(roots.pop() as Uint8Array, root)
      roots.push(root)
      size++
    },
    size: () => size,
    root: () =>
      roots.length === 0 ? hash('sha256', '', 'buffer') : roots.reduceRight((right, left) => nodeHash(left, right)),
  }
}
