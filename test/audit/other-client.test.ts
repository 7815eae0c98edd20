import { createPublicKey, generateKeyPairSync } from 'node:crypto'
// The package leads to these two by their files alone.
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'
import test from 'ava'
import { signCheckpoint } from '../../src/audit/checkpoint.ts'
import { makeKeptTree } from '../../src/audit/kept-tree.ts'
import { treeOf } from '../../src/audit/log-tree.ts'
import { verifierOf } from '../../src/audit/signed-note.ts'
import { growTree } from '../../src/audit/verify-tree.ts'
import { leafHash } from '../../src/event-store/stored-event.ts'

/** What we sign and prove, held against a client of transparency logs that was not written for ours. */

const SIZES = 70
const texts = Array.from({ length: SIZES }, (_, n) => `event ${n}`)
const kept = makeKeptTree()
const { privateKey } = generateKeyPairSync('ed25519')
const signer = { name: 'bench.example', privateKey }
const { keyId } = verifierOf(signer)
const tree = treeOf(kept.node)

/** The tree over the first events is read from two places: the nodes that are kept, and those of a log read to its end. */
const checkpoints = [growTree()].flatMap((grown) =>
  texts.map((text) => {
    kept.add(leafHash(text))
    grown.add(leafHash(text))
    return signCheckpoint(grown.size(), grown.root(), signer)
  }),
)

type Entry = Parameters<typeof verifyMerkleInclusion>[0]

const entry = (index: number, size: number, hashes: readonly Uint8Array[], envelope: string): Entry =>
  ({
    canonicalizedBody: Buffer.from(texts[index] as string),
    inclusionProof: {
      logIndex: String(index),
      treeSize: String(size),
      rootHash: Buffer.alloc(0),
      hashes: hashes.map((each) => Buffer.from(each)),
      checkpoint: { envelope },
    },
  }) as unknown as Entry

const authority = {
  logID: Buffer.from(keyId),
  baseURL: signer.name,
  publicKey: createPublicKey(privateKey),
  validFor: { start: new Date(0), end: new Date(8.64e15) },
} as unknown as Parameters<typeof verifyCheckpoint>[1][number]

test('another client takes our checkpoints at every size, and our proof of every event in them', (t) => {
  for (const [before, envelope] of checkpoints.entries()) {
    const size = before + 1
    for (let index = 0; index < size; index++) {
      const proven = entry(index, size, tree.inclusion(index, size), envelope)
      const checkpoint = verifyCheckpoint(proven, [authority])
      t.deepEqual([checkpoint.origin, checkpoint.logSize], [signer.name, BigInt(size)])
      t.notThrows(() => verifyMerkleInclusion(proven, checkpoint))
    }
  }
})

test('it takes no proof of another event, of another size or with a hash changed, and no checkpoint with another signature', (t) => {
  const [size, envelope] = [SIZES, checkpoints.at(-1) as string]
  const hashes = tree.inclusion(33, size)
  const of = (index: number, given = hashes) => entry(index, size, given, envelope)
  const checkpoint = verifyCheckpoint(of(33), [authority])
  const changed = hashes.with(2, leafHash('another'))
  for (const wrong of [of(32), of(34), of(33, hashes.slice(1)), of(33, changed)]) {
    t.throws(() => verifyMerkleInclusion(wrong, checkpoint), { name: 'VerificationError' })
  }
  const smaller = verifyCheckpoint(entry(33, 64, hashes, checkpoints[63] as string), [authority])
  t.throws(() => verifyMerkleInclusion(of(33), smaller), { name: 'VerificationError' })
  const forged = envelope.replace(/^70$/m, '71')
  t.throws(() => verifyCheckpoint(entry(33, size, hashes, forged), [authority]), { name: 'VerificationError' })
})
