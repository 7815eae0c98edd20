/** Merkle trees over a log, with inclusion and consistency proofs (RFC 6962, section 2.1). */

import { hash } from 'node:crypto'
import type { StoredRecord } from '../event-store/event-store.ts'
import { leafHash, nodeHash } from '../event-store/stored-event.ts'

const EMPTY_HEAD = hash('sha256', '', 'buffer')

/** A tree that is built leaf by leaf, and keeps only what its head needs. */
export const growTree = () => {
  /** Roots of its perfect subtrees, largest first. */
  const roots: Uint8Array[] = []
  let size = 0
  return {
    add: (leaf: Uint8Array): void => {
      let root = leaf
      for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) root = nodeHash(roots.pop() as Uint8Array, root)
      roots.push(root)
      size++
    },
    size: (): number => size,
    root: (): Buffer =>
      roots.length === 0 ? EMPTY_HEAD : Buffer.from(roots.reduceRight((right, left) => nodeHash(left, right))),
  }
}

export type GrowingTree = ReturnType<typeof growTree>

/**
 * Grows the tree over stored events, by hashes of their texts.
 *
 * @param onProgress called with the number of events read so far
 * @param end reads no more than so many
 */
export const treeOf = async (
  records: AsyncIterable<readonly StoredRecord[]>,
  onProgress: (done: number) => void = () => undefined,
  end = Number.POSITIVE_INFINITY,
): Promise<GrowingTree> => {
  const tree = growTree()
  for await (const page of records) {
    for (const { text } of page.slice(0, end - tree.size())) tree.add(leafHash(text))
    onProgress(tree.size())
    if (tree.size() >= end) break
  }
  return tree
}

/**
 * Hash of the perfect subtree of 2^level leaves that begins at leaf index * 2^level.
 *
 * @throws RangeError if the tree has fewer leaves
 */
export type NodeAt = (level: number, index: number) => Uint8Array

/** floor(log2): exact for every whole number, unlike Math.log2. */
const floorLog2 = (size: number): number => {
  let level = 0
  for (let rest = size; rest > 1; rest = Math.floor(rest / 2)) level++
  return level
}

const isPerfect = (size: number): boolean => 2 ** floorLog2(size) === size

/** The largest power of two below a number greater than one. */
const splitSize = (size: number): number => 2 ** floorLog2(size - 1)

export const makeTreeReader = (nodeAt: NodeAt) => {
  const headOf = (start: number, end: number): Uint8Array => {
    const size = end - start
    if (isPerfect(size) && start % size === 0) return nodeAt(floorLog2(size), start / size)
    const middle = start + splitSize(size)
    return nodeHash(headOf(start, middle), headOf(middle, end))
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
    /** Head of the tree of the first `size` leaves. */
    head: (size: number): Uint8Array => (size === 0 ? EMPTY_HEAD : headOf(0, size)),
    /** Proof that a leaf is in the tree of a size: sibling hashes from the leaf up. */
    inclusion: (index: number, size: number): readonly Uint8Array[] => path(index, 0, size),
    /** Proof that the tree of size `from` is a prefix of that of size `to`; empty if they are equal or `from` is 0. */
    consistency: (from: number, to: number): readonly Uint8Array[] =>
      from === 0 || from === to ? [] : subproof(from, 0, to, true),
  }
}

export type TreeReader = ReturnType<typeof makeTreeReader>
