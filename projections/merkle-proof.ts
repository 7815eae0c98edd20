import { emptyTree, hashNode, type Sha256, treeHead } from './merkle-tree.ts'

/**
 * Proofs over the Merkle tree of the log: that an event is in it, and that a tree is the beginning of a later one
 * (RFC 6962, section 2.1; checked as RFC 9162, sections 2.1.3.2 and 2.1.4.2, describe it).
 */

/**
 * The hash of the perfect subtree of 2^level leaves that begins at leaf index * 2^level.
 *
 * @throws RangeError where the tree has fewer leaves
 */
export type NodeAt = (level: number, index: number) => Uint8Array

const half = (number: number): number => Math.floor(number / 2)

/** How often a number can be halved: exact for every whole number, where a logarithm rounds. */
const floorLog2 = (size: number): number => {
  let level = 0
  for (let rest = size; rest > 1; rest = half(rest)) level++
  return level
}

const isPerfect = (size: number): boolean => 2 ** floorLog2(size) === size

/** The largest power of two below a number that is greater than one. */
const splitSize = (size: number): number => 2 ** floorLog2(size - 1)

/** What hashes and proofs of trees are read from. */
export interface TreeReader {
  /** The head of the tree over the first `size` leaves. */
  readonly head: (size: number) => Uint8Array
  /** That the leaf at an index is in the tree of a size: the heads of the subtrees beside its way up, from below. */
  readonly inclusion: (index: number, size: number) => readonly Uint8Array[]
  /** That the tree of size `from` is the beginning of that of size `to`; nothing where they are the same, or `from` is 0. */
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

  /** `isKnown`: whether the verifier has the head of what is common already. */
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

/** Whether a proof shows that the leaf hash is that of the leaf at `index` in the tree of `size` with this head. */
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

/** Whether a proof shows that the tree of the first size and head is the beginning of that of the second. */
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
