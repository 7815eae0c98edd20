/** Berth's checkpoints and proofs, verified with an independent transparency log client (Sigstore). */

import { createPublicKey } from 'node:crypto'
// The package exports these two only by file.
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'
import test from 'ava'
import { type } from '../command-line/terminal.ts'
import { start } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'

type Entry = Parameters<typeof verifyMerkleInclusion>[0]
type Authority = Parameters<typeof verifyCheckpoint>[1][number]

/** The leaf and the proof of an answer of `GET /api/audit/inclusion`, and a signed checkpoint. */
const entryOf = (json: Readonly<Record<string, unknown>>, leaf: string, checkpoint: string): Entry =>
  ({
    canonicalizedBody: Buffer.from(leaf),
    inclusionProof: {
      logIndex: String(json.leaf_index),
      treeSize: String(json.tree_size),
      rootHash: Buffer.alloc(0),
      hashes: (json.hashes as readonly string[]).map((each) => Buffer.from(each, 'base64')),
      checkpoint: { envelope: checkpoint },
    },
  }) as unknown as Entry

/** Reads the verifier key of C2SP signed-note that "audit key" prints, without Berth's code. */
const authorityIn = (verifierKey: string): Authority => {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey) ?? []
  const der = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(encoded, 'base64').subarray(1),
  ])
  return {
    logID: Buffer.from(id, 'hex'),
    baseURL: name,
    publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }),
    validFor: { start: new Date(0), end: new Date(8.64e15) },
  } as unknown as Authority
}

/** @throws VerificationError if the checkpoint is not signed by the key or does not contain the leaf */
const verifyEntry = (entry: Entry, authority: Authority): { origin: string; logSize: bigint } => {
  const checkpoint = verifyCheckpoint(entry, [authority])
  verifyMerkleInclusion(entry, checkpoint)
  return checkpoint
}

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
    const leaf = String(json.leaf)
    t.is(verifyEntry(entryOf(json, leaf, checkpoint), log).logSize, 8n)
    if (JSON.parse(leaf).metadata.key === undefined) continue
    keyed.push(leaf)
    const altered = entryOf(json, leaf.replace(/"key":"/, '"key":"_'), checkpoint)
    t.throws(() => verifyEntry(altered, log), { name: 'VerificationError' })
  }
  t.true(
    keyed.some((leaf) => leaf.includes('"rack":"the third"')),
    keyed.join('\n'),
  )
})
