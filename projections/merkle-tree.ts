/**
 * The Merkle tree over the log (RFC 6962, section 2.1), as it grows: kept as the roots of its perfect subtrees, from
 * which its head follows. What has been proven of a head stays so for every later one.
 */
export interface MerkleTree {
  /** How many leaves it has. */
  readonly size: number
  /** The root of one perfect subtree for each bit of `size`, the largest first. */
  readonly roots: readonly Uint8Array[]
}

/** SHA-256 of all parts one after the other. */
export type Sha256 = (...parts: readonly Uint8Array[]) => Uint8Array

export const emptyTree: MerkleTree = { size: 0, roots: [] }

/** What tells the hash of a node from that of a leaf. */
const NODE = Uint8Array.of(1)

export const hashNode = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array => sha256(NODE, left, right)

/** The tree with one more leaf, given by its leaf hash. */
export const withLeaf = (tree: MerkleTree, leafHash: Uint8Array, sha256: Sha256): MerkleTree => {
  const roots = [...tree.roots]
  let root = leafHash
  // As in adding one to a number: every subtree that ends the size in a 1 is carried into the next larger one.
  for (let rest = tree.size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    root = hashNode(roots.pop() as Uint8Array, root, sha256)
  }
  roots.push(root)
  return { size: tree.size + 1, roots }
}

/** The tree's head: the hash that stands for all leaves and their order. */
export const treeHead = ({ roots }: MerkleTree, sha256: Sha256): Uint8Array =>
  roots.length === 0 ? sha256() : roots.reduceRight((right, left) => hashNode(left, right, sha256))
