/** Verifies proofs as RFC 9162 says, sections 2.1.3.2 and 2.1.4.2. */

import { createHash } from 'node:crypto'
import { makeTreeReader } from '../../src/audit/merkle-tree.ts'

/** SHA-256 of the concatenated parts. */
export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest())

export const leafHash = (data: Uint8Array): Uint8Array => sha256(Uint8Array.of(0), data)

export const halfOf = (size: number): number => {
  let k = 1
  while (k * 2 < size) k *= 2
  return k
}

/** The root of leaf hashes, word for word as RFC 6962, section 2.1, defines it. */
export const MTH = (d: readonly Uint8Array[]): Uint8Array => {
  if (d.length === 0) return sha256()
  if (d.length === 1) return d[0] as Uint8Array
  const k = halfOf(d.length)
  return sha256(Uint8Array.of(1), MTH(d.slice(0, k)), MTH(d.slice(k)))
}

const hashNode = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(Uint8Array.of(1), left, right)

const half = (number: number): number => Math.floor(number / 2)

// Math.log2 is inexact for large numbers.
const isPerfect = (size: number): boolean => (BigInt(size) & (BigInt(size) - 1n)) === 0n

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

/** Verifies that the leaf hash is at `index` in the tree of `size` with this head. */
export const isIncluded = (
  { leaf, index, size, head }: { leaf: Uint8Array; index: number; size: number; head: Uint8Array },
  proof: readonly Uint8Array[],
): boolean => {
  if (index >= size) return false
  let [place, last, hash] = [index, size - 1, leaf]
  for (const beside of proof) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      hash = hashNode(beside, hash)
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)]
    } else hash = hashNode(hash, beside)
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 && isSame(hash, head)
}

/** Verifies that the first tree is a prefix of the second. */
export const isConsistent = (
  from: { readonly size: number; readonly head: Uint8Array },
  to: { readonly size: number; readonly head: Uint8Array },
  proof: readonly Uint8Array[],
): boolean => {
  if (from.size > to.size) return false
  if (from.size === to.size) return proof.length === 0 && isSame(from.head, to.head)
  if (from.size === 0) return proof.length === 0 && isSame(from.head, sha256())
  const [first, ...rest] = isPerfect(from.size) ? [from.head, ...proof] : proof
  if (first === undefined) return false
  let [place, last, old, now] = [from.size - 1, to.size - 1, first, first]
  while (place % 2 === 1) [place, last] = [half(place), half(last)]
  for (const beside of rest) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      old = hashNode(beside, old)
      now = hashNode(beside, now)
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)]
    } else now = hashNode(now, beside)
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 && isSame(old, from.head) && isSame(now, to.head)
}

/** Heads and proofs of the tree over some leaf hashes. */
export const readerOf = (leaves: readonly Uint8Array[]) => {
  const levels: Uint8Array[][] = [[...leaves]]
  for (let below = levels[0] ?? []; below.length > 1; below = levels.at(-1) ?? []) {
    const pairs = Array.from({ length: below.length >> 1 }, (_, n) => below.slice(2 * n, 2 * n + 2))
    levels.push(pairs.map((pair) => sha256(Uint8Array.of(1), ...pair)))
  }
  return makeTreeReader((level, index) => {
    const node = levels[level]?.[index]
    if (node === undefined) throw new RangeError('not so many leaves')
    return node
  })
}
