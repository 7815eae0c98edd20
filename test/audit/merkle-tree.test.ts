import test from 'ava'
import { growTree, makeTreeReader } from '../../src/audit/merkle-tree.ts'
import { halfOf, isConsistent, isIncluded, leafHash, MTH, readerOf, sha256 } from './verify-proof.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

// The definitions of RFC 6962, sections 2.1.1 and 2.1.2, word for word, over leaf hashes.
type Hashes = readonly Uint8Array[]
const PATH = (m: number, d: Hashes): Hashes => {
  if (d.length === 1) return []
  const k = halfOf(d.length)
  return m < k ? [...PATH(m, d.slice(0, k)), MTH(d.slice(k))] : [...PATH(m - k, d.slice(k)), MTH(d.slice(0, k))]
}
const SUBPROOF = (m: number, d: Hashes, b: boolean): Hashes => {
  if (m === d.length) return b ? [] : [MTH(d)]
  const k = halfOf(d.length)
  return m <= k
    ? [...SUBPROOF(m, d.slice(0, k), b), MTH(d.slice(k))]
    : [...SUBPROOF(m - k, d.slice(k), false), MTH(d.slice(0, k))]
}

const someLeaves = (count: number): Hashes =>
  Array.from({ length: count }, (_, n) => leafHash(Uint8Array.of(n, n >> 8)))

test('at every size every head and proof matches the definition and is accepted', (t) => {
  const leaves = someLeaves(40)
  const { head, inclusion, consistency } = readerOf(leaves)
  for (let size = 0; size <= leaves.length; size++) {
    const tree = leaves.slice(0, size)
    const to = { size, head: MTH(tree) }
    t.is(hex(head(size)), hex(to.head))
    for (let index = 0; index < size; index++) {
      const proof = inclusion(index, size)
      t.deepEqual(proof.map(hex), PATH(index, tree).map(hex))
      t.true(isIncluded({ leaf: leaves[index] as Uint8Array, index, ...to }, proof))
    }
    for (let from = 0; from <= size; from++) {
      const proof = consistency(from, size)
      if (from > 0) t.deepEqual(proof.map(hex), SUBPROOF(from, tree, true).map(hex))
      t.true(isConsistent({ size: from, head: MTH(leaves.slice(0, from)) }, to, proof))
    }
  }
})

test('a tree built leaf by leaf has the published head, and at every size that of the definition', (t) => {
  // The leaves and the head that the reference implementation of RFC 6962 publishes with its tests.
  const published = growTree()
  const leaves = '/00/10/2021/3031/40414243/5051525354555657/606162636465666768696a6b6c6d6e6f'.split('/')
  for (const leaf of leaves) published.add(leafHash(Buffer.from(leaf, 'hex')))
  t.is(hex(published.root()), '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328')
  const grown = growTree()
  for (let size = 0; size < LARGE.length; size++) {
    t.is(hex(large.head(size)), hex(grown.root()))
    grown.add(LARGE[size] as Uint8Array)
  }
})

test('trees up to the largest safe integer size are proven like small ones', (t) => {
  const leaf = leafHash(Uint8Array.of())
  // All leaves are the same, and so are all nodes of a level.
  const levels = [leaf]
  for (let level = 1; level < 53; level++) {
    const below = levels[level - 1] as Uint8Array
    levels.push(sha256(Uint8Array.of(1), below, below))
  }
  const { head, inclusion, consistency } = makeTreeReader((level) => levels[level] as Uint8Array)
  for (const from of [2 ** 31 + 1, 2 ** 49 - 1, 2 ** 49, 2 ** 50 + 1, 2 ** 52 + 1, 2 ** 53 - 4]) {
    const size = from + 3
    const to = { size, head: head(size) }
    t.true(isConsistent({ size: from, head: head(from) }, to, consistency(from, size)), `${from}`)
    for (const index of [0, from, size - 1]) {
      t.true(isIncluded({ leaf, index, ...to }, inclusion(index, size)), `${index} of ${size}`)
    }
  }
})

const LARGE = someLeaves(300)
const large = readerOf(LARGE)
