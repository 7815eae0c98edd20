import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
// The package exports these two only by file.
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'
import test from 'ava'
import { signCheckpoint } from '../../src/audit/checkpoint.ts'
import { growTree } from '../../src/audit/merkle-tree.ts'
import { verifierOf, writeVerifier } from '../../src/audit/signed-note.ts'
import { leafHash } from '../../src/event-store/stored-event.ts'
import { type } from '../command-line/terminal.ts'
import { start } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'
import { readerOf } from './verify-proof.ts'

/** An independent transparency log client. */

type Entry = Parameters<typeof verifyMerkleInclusion>[0]
type Authority = Parameters<typeof verifyCheckpoint>[1][number]

/** A leaf, its proof and a signed checkpoint. */
interface Proven {
  readonly leaf: string
  readonly index: number
  readonly size: number
  readonly hashes: readonly Uint8Array[]
  readonly checkpoint: string
}

const entryOf = ({ leaf, index, size, hashes, checkpoint }: Proven): Entry =>
  ({
    canonicalizedBody: Buffer.from(leaf),
    inclusionProof: {
      logIndex: String(index),
      treeSize: String(size),
      rootHash: Buffer.alloc(0),
      hashes: hashes.map((each) => Buffer.from(each)),
      checkpoint: { envelope: checkpoint },
    },
  }) as unknown as Entry

const authorityOf = (name: string, keyId: Uint8Array, publicKey: KeyObject): Authority =>
  ({
    logID: Buffer.from(keyId),
    baseURL: name,
    publicKey,
    validFor: { start: new Date(0), end: new Date(8.64e15) },
  }) as unknown as Authority

/** Reads the verifier key of C2SP signed-note that "audit key" prints, without Berth's code. */
const authorityIn = (verifierKey: string): Authority => {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey) ?? []
  const der = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(encoded, 'base64').subarray(1),
  ])
  return authorityOf(name, Buffer.from(id, 'hex'), createPublicKey({ key: der, format: 'der', type: 'spki' }))
}

/** @throws VerificationError if the checkpoint is not signed by the key or does not contain the leaf */
const verifyProven = (proven: Proven, authority: Authority): { origin: string; logSize: bigint } => {
  const entry = entryOf(proven)
  const checkpoint = verifyCheckpoint(entry, [authority])
  verifyMerkleInclusion(entry, checkpoint)
  return checkpoint
}

/** Berth's checkpoints and proofs, verified with an independent transparency log client (Sigstore). */

const SIZES = 70
const texts = Array.from({ length: SIZES }, (_, n) => `event ${n}`)
const { privateKey } = generateKeyPairSync('ed25519')
const signer = { name: 'bench.example', privateKey }
const tree = readerOf(texts.map(leafHash))

/** Checkpoints are signed from an incrementally grown tree, and proofs come from the stored nodes. */
const checkpoints = [growTree()].flatMap((grown) =>
  texts.map((text) => {
    grown.add(leafHash(text))
    return signCheckpoint(grown.size(), grown.root(), signer)
  }),
)

const authority = authorityIn(writeVerifier(verifierOf(signer)))

const proven = (index: number, size: number, hashes: readonly Uint8Array[], checkpoint: string): Proven => ({
  leaf: texts[index] as string,
  index,
  size,
  hashes,
  checkpoint,
})

test('thorough: an independent client accepts the checkpoint of every size and the proof of every event', (t) => {
  for (const [before, checkpoint] of checkpoints.entries()) {
    const size = before + 1
    for (let index = 0; index < size; index++) {
      const { origin, logSize } = verifyProven(proven(index, size, tree.inclusion(index, size), checkpoint), authority)
      t.deepEqual([origin, logSize], [signer.name, BigInt(size)])
    }
  }
})

test('an independent client verifies the content of events, including an idempotency key, by the checkpoint', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const key = { 'Idempotency-Key': 'of-this-request' }
  const sut = await createSut(admin)
  t.is((await admin.post(`/api/sut/${sut}/tags`, { rack: 'the third' }, key)).status, 200)
  const audrey = service.as('audrey')
  const checkpoint = (await audrey.get('/api/audit/checkpoint')).text
  const log = authorityIn((await type(['audit', 'key'], { BERTH_DATA: service.data })).out.trim())
  const events = (await audrey.get(`/api/events?sut_id=${sut}`)).json.events as readonly { readonly id: string }[]
  const keyed: string[] = []
  for (const { id } of events) {
    const { json } = await audrey.get(`/api/audit/inclusion?event=${id}`)
    const answered: Proven = {
      leaf: String(json.leaf),
      index: Number(json.leaf_index),
      size: Number(json.tree_size),
      hashes: (json.hashes as readonly string[]).map((each) => Buffer.from(each, 'base64')),
      checkpoint,
    }
    t.is(verifyProven(answered, log).logSize, 8n)
    const { metadata } = JSON.parse(answered.leaf)
    if (metadata.key !== undefined) keyed.push(answered.leaf)
    const altered = { ...answered, leaf: answered.leaf.replace(/"key":"./, '"key":"_') }
    if (altered.leaf !== answered.leaf) t.throws(() => verifyProven(altered, log), { name: 'VerificationError' })
  }
  t.true(
    keyed.some((leaf) => leaf.includes('"rack":"the third"')),
    keyed.join('\n'),
  )
})
