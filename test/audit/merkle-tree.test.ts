import test from 'ava'
import fc from 'fast-check'
import { growTree, makeKeptTree, makeTreeReader } from '../../src/audit/merkle-tree.ts'
import { sha256 } from './verify-proof.ts'

const leafHash = (data: Uint8Array): Uint8Array => sha256(Uint8Array.of(0), data)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const headOf = (leaves: readonly Uint8Array[]): string => {
  const tree = growTree()
  for (const leaf of leaves) tree.add(leafHash(leaf))
  return hex(tree.root())
}

// The leaves and heads that the reference implementation of RFC 6962 publishes with its tests.
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const HEADS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

test('the published leaves give the published heads at every size', (t) => {
  const leaves = LEAVES.map((leaf) => new Uint8Array(Buffer.from(leaf, 'hex')))
  t.deepEqual(
    HEADS.map((_, size) => headOf(leaves.slice(0, size))),
    HEADS,
  )
})

/** The definition of RFC 6962, section 2.1, word for word. Slow, and independent of the code under test. */
const byDefinition = (leaves: readonly Uint8Array[]): Uint8Array => {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leafHash(leaves[0] as Uint8Array)
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  return sha256(Uint8Array.of(1), byDefinition(leaves.slice(0, k)), byDefinition(leaves.slice(k)))
}

const someLeaves = fc.array(fc.uint8Array({ maxLength: 4 }), { maxLength: 70 })

test('a tree built leaf by leaf has the head that the definition gives', (t) => {
  fc.assert(fc.property(someLeaves, (leaves) => headOf(leaves) === hex(byDefinition(leaves))))
  t.pass()
})

test('a tree that keeps its nodes has the head of one that does not, at every size while both grow', (t) => {
  const [grown, kept] = [growTree(), makeKeptTree()]
  for (let size = 0; size < 300; size++) {
    t.is(hex(makeTreeReader(kept.node).head(kept.size())), hex(grown.root()))
    for (const tree of [grown, kept]) tree.add(leafHash(Uint8Array.of(size, size >> 8)))
  }
})

test('a changed, dropped, duplicated or moved leaf gives another head', (t) => {
  const leaves = LEAVES.map((leaf) => new Uint8Array(Buffer.from(leaf, 'hex')))
  const heads = new Set([headOf(leaves)])
  for (const [index, leaf] of leaves.entries()) {
    const others = leaves.toSpliced(index, 1)
    heads.add(headOf(leaves.with(index, Uint8Array.of(...leaf, 0))))
    heads.add(headOf(others))
    heads.add(headOf(leaves.toSpliced(index, 0, leaf)))
    heads.add(headOf([...others.slice(0, (index + 3) % 7), leaf, ...others.slice((index + 3) % 7)]))
  }
  t.is(heads.size, 1 + 4 * leaves.length)
})
