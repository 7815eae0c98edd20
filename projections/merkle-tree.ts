/** The log's Merkle tree, with inclusion and consistency proofs (RFC 6962, section 2.1). */

/**
 * An append-only tree, represented by the roots of its perfect subtrees, from which the head is computed. Anything proven
 * for a head holds for all later ones.
 */
export interface MerkleTree {
  /** Number of leaves. */
  readonly size: number
  /** Roots of the perfect subtrees, one per bit of `size`, largest first. */
  readonly roots: readonly Uint8Array[]
}

/** SHA-256 of the concatenated parts. */
export type Sha256 = (...parts: readonly Uint8Array[]) => Uint8Array

export const emptyTree: MerkleTree = { size: 0, roots: [] }

/** Prefix that distinguishes node hashes from leaf hashes. */
const NODE = Uint8Array.of(1)

export const hashNode = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array => sha256(NODE, left, right)

/** Adds a leaf, given by its leaf hash. */
export const withLeaf = (tree: MerkleTree, leafHash: Uint8Array, sha256: Sha256): MerkleTree => {
  const roots = [...tree.roots]
  let root = leafHash
  // Like a binary increment: every trailing 1 bit of the size carries a subtree into the next larger one.
  for (let rest = tree.size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    root = hashNode(roots.pop() as Uint8Array, root, sha256)
  }
  roots.push(root)
  return { size: tree.size + 1, roots }
}

/** Head of the tree: commits to all leaves and their order. */
export const treeHead = ({ roots }: MerkleTree, sha256: Sha256): Uint8Array =>
  roots.length === 0 ? sha256() : roots.reduceRight((right, left) => hashNode(left, right, sha256))

/**
 * Hash of the perfect subtree of 2^level leaves that begins at leaf index * 2^level.
 *
 * @throws RangeError if the tree has fewer leaves
 */
export type NodeAt = (level: number, index: number) => Uint8Array

const half = (number: number): number => Math.floor(number / 2)

/** floor(log2): exact for every whole number, unlike Math.log2. */
const floorLog2 = (size: number): number => {
  let level = 0
  for (let rest = size; rest > 1; rest = half(rest)) level++
  return level
}

const isPerfect = (size: number): boolean => 2 ** floorLog2(size) === size

/** The largest power of two below a number greater than one. */
const splitSize = (size: number): number => 2 ** floorLog2(size - 1)

/** Reads heads and proofs of a tree. */
export interface TreeReader {
  /** Head of the tree of the first `size` leaves. */
  readonly head: (size: number) => Uint8Array
  /** Proof that a leaf is in the tree of a size: sibling hashes from the leaf up. */
  readonly inclusion: (index: number, size: number) => readonly Uint8Array[]
  /** Proof that the tree of size `from` is a prefix of that of size `to`; empty if they are equal or `from` is 0. */
  readonly consistency: (from: number, to: number) => readonly Uint8Array[]
}

export const makeTreeReader = (nodeAt: NodeAt, sha256: Sha256): TreeReader => {
  const headOf = (start: number, end: number): Uint8Array => {
    const size = end - start
    if (isPerfect(size) && start % size === 0) return nodeAt(floorLog2(size), start / size)
    const middle = start + splitSize(size)
    return hashNode(headOf(start, middle), headOf(middle, end), sha256)
  }

  const path = (index: number, start: number, end: number): readonly Uint8Array[] => {
    if (end - start === 1) return []
    const middle = start + splitSize(end - start)
    return index < middle
      ? [...path(index, start, middle), headOf(middle, end)]
      : [...path(index, middle, end), headOf(start, middle)]
  }

  /** `isKnown`: whether the verifier already has the common head. */
  const subproof = (from: number, start: number, end: number, isKnown: boolean): readonly Uint8Array[] => {
    if (from === end) return isKnown ? [] : [headOf(start, end)]
    const middle = start + splitSize(end - start)
    return from <= middle
      ? [...subproof(from, start, middle, isKnown), headOf(middle, end)]
      : [...subproof(from, middle, end, false), headOf(start, middle)]
  }

  return {
    head: (size) => (size === 0 ? treeHead(emptyTree, sha256) : headOf(0, size)),
    inclusion: (index, size) => path(index, 0, size),
    consistency: (from, to) => (from === 0 || from === to ? [] : subproof(from, 0, to, true)),
  }
}
