import { emptyTree, hashNode, type Sha256, treeHead } from './merkle-tree.ts'

/**
 * Inclusion and consistency proofs of the log's Merkle tree (RFC 6962, section 2.1; verified as in RFC 9162, sections
 * 2.1.3.2 and 2.1.4.2).
 */

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

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

const isSize = (number: number): boolean => Number.isSafeInteger(number) && number >= 0

/** Verifies that the leaf hash is at `index` in the tree of `size` with this head. */
export const isIncluded = (
  { leaf, index, size, head }: { leaf: Uint8Array; index: number; size: number; head: Uint8Array },
  proof: readonly Uint8Array[],
  sha256: Sha256,
): boolean => {
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes([leaf, head, ...proof])) return false
  let [place, last, hash] = [index, size - 1, leaf]
  for (const beside of proof) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      hash = hashNode(beside, hash, sha256)
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)]
    } else hash = hashNode(hash, beside, sha256)
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 && isSame(hash, head)
}

const areHashes = (hashes: readonly Uint8Array[]): boolean => hashes.every(({ length }) => length === 32)

/** Verifies that the first tree is a prefix of the second. */
export const isConsistent = (
  from: { readonly size: number; readonly head: Uint8Array },
  to: { readonly size: number; readonly head: Uint8Array },
  proof: readonly Uint8Array[],
  sha256: Sha256,
): boolean => {
  if (!isSize(from.size) || !isSize(to.size) || from.size > to.size) return false
  if (!areHashes([from.head, to.head, ...proof])) return false
  if (from.size === to.size) return proof.length === 0 && isSame(from.head, to.head)
  if (from.size === 0) return proof.length === 0 && isSame(from.head, treeHead(emptyTree, sha256))
  const [first, ...rest] = isPerfect(from.size) ? [from.head, ...proof] : proof
  if (first === undefined) return false
  let [place, last, old, now] = [from.size - 1, to.size - 1, first, first]
  while (place % 2 === 1) [place, last] = [half(place), half(last)]
  for (const beside of rest) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      old = hashNode(beside, old, sha256)
      now = hashNode(beside, now, sha256)
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)]
    } else now = hashNode(now, beside, sha256)
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 && isSame(old, from.head) && isSame(now, to.head)
}
