import { createPublicKey, type KeyObject } from 'node:crypto'
// The package exports these two only by file.
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'

/** An independent transparency log client. */

type Entry = Parameters<typeof verifyMerkleInclusion>[0]
type Authority = Parameters<typeof verifyCheckpoint>[1][number]

/** A leaf, its proof and a signed checkpoint. */
export interface Proven {
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
export const authorityIn = (verifierKey: string): Authority => {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey) ?? []
  const der = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(encoded, 'base64').subarray(1),
  ])
  return authorityOf(name, Buffer.from(id, 'hex'), createPublicKey({ key: der, format: 'der', type: 'spki' }))
}

/** @throws VerificationError if the checkpoint is not signed by the key or does not contain the leaf */
export const verifyProven = (proven: Proven, authority: Authority): { origin: string; logSize: bigint } => {
  const entry = entryOf(proven)
  const checkpoint = verifyCheckpoint(entry, [authority])
  verifyMerkleInclusion(entry, checkpoint)
  return checkpoint
}
