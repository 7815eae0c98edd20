/**
 * An append-only Merkle tree (RFC 6962, section 2.1), represented by the roots of its perfect subtrees, from which the
 * head is computed. Anything proven for a head holds for all later ones.
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
