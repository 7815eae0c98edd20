import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { parseAuditKey } from '../../src/audit/audit-key.ts'
import { openCheckpoint, readCheckpoint, signCheckpoint, writeCheckpoint } from '../../src/audit/checkpoint.ts'
import { openNote, readVerifier, signNote, verifierOf, writeVerifier } from '../../src/audit/signed-note.ts'
import { leftOf, rightOf } from '../users/builders.ts'

const aSigner = (name = 'lab.example/berth') => ({ name, privateKey: generateKeyPairSync('ed25519').privateKey })

// Example from the documentation of the reference implementation, golang.org/x/mod/sumdb/note.
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
/** The same key with another byte for its type. */
const OTHER_KIND = PETER.replace('+ARpc', '+Ahpc')
const SEED = 'AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'
const NOTE =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n" +
  '\n' +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

test('a note, its key and its signature match the reference implementation', (t) => {
  const verifier = rightOf(readVerifier(PETER))
  t.is(rightOf(openNote(NOTE, verifier)), NOTE.slice(0, NOTE.indexOf('\n\n') + 1))
  const key = rightOf(parseAuditKey(Buffer.from(SEED, 'base64').subarray(1).toString('base64')))
  const signer = { name: 'PeterNeumann', privateKey: key }
  t.is(writeVerifier(verifierOf(signer)), PETER)
  t.is(signNote(NOTE.slice(0, NOTE.indexOf('\n\n') + 1), signer), NOTE)
})

test('a checkpoint opens only with the key that signed it', (t) => {
  const signer = aSigner()
  const root = new Uint8Array(32).fill(7)
  const note = signCheckpoint(1234, root, signer)
  t.regex(
    note,
    /^lab\.example\/berth\n1234\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n\n\u2014 lab\.example\/berth \S+\n$/,
  )
  t.deepEqual(rightOf(openCheckpoint(note, verifierOf(signer))), { origin: signer.name, size: 1234, root })
  t.is(leftOf(openCheckpoint(note, verifierOf(aSigner()))), 'is not signed by lab.example/berth with this key')
  t.is(leftOf(openCheckpoint(note, verifierOf(aSigner('other')))), 'is not signed by other with this key')
  // The key id must match the name.
  const renamed = note.replace('\u2014 lab.example/berth', '\u2014 lab.example/other')
  t.is(leftOf(openCheckpoint(renamed, verifierOf(signer))), 'is not signed by lab.example/berth with this key')
})

test('property: a note with a changed or removed character does not open, or has the same text', (t) => {
  const signer = aSigner()
  const note = signCheckpoint(1234, new Uint8Array(32).fill(7), signer)
  const verifier = verifierOf(signer)
  const text = rightOf(openNote(note, verifier))
  const changed = fc
    .tuple(fc.nat(note.length - 1), fc.constantFrom(' ', '\n', 'A', '1', '+', '\u0007', '=', ''))
    .map(([at, other]) => note.slice(0, at) + other + note.slice(at + 1))
  fc.assert(
    fc.property(changed, (other) => {
      const opened = openNote(other, verifier)
      return other === note || E.isLeft(opened) || opened.right === text
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

test('additional signatures of others are ignored', (t) => {
  const [own, other] = [aSigner(), aSigner('witness')]
  const text = writeCheckpoint({ origin: own.name, size: 1, root: new Uint8Array(32) })
  const both = signNote(text, own) + signNote(text, other).slice(text.length + 1)
  for (const signer of [own, other]) t.is(rightOf(openNote(both, verifierOf(signer))), text)
  t.is(leftOf(openCheckpoint(both, verifierOf(other))), 'is of the log lab.example/berth, but the key is of witness')
})

test('malformed notes, checkpoints and verifier keys are refused with the reason', (t) => {
  const signer = aSigner()
  const verifier = verifierOf(signer)
  const signed = signCheckpoint(1, new Uint8Array(32), signer)
  t.deepEqual(
    ['', 'text\n', `${signed}x\n`, signed.slice(0, -1), `${signed}\u0000`, 'x'.repeat(1_000_001)].map((note) =>
      leftOf(openNote(note, verifier)),
    ),
    [
      'must have signatures after an empty line',
      'must have signatures after an empty line',
      'has an invalid signature line',
      'must have signatures after an empty line',
      'cannot contain control characters',
      'is too long',
    ],
  )
  const root = Buffer.alloc(32).toString('base64')
  t.like(rightOf(readCheckpoint(`a\n0\n${root}\nan extension\n`)), { origin: 'a', size: 0 })
  t.deepEqual(
    [
      `\n1\n${root}\n`,
      `a\n01\n${root}\n`,
      `a\n-1\n${root}\n`,
      'a\n1\nAA==\n',
      `a\n9007199254740993\n${root}\n`,
      `a\n1\n${root.replace('A=', 'B=')}\n`,
      `a\n1\n${root}`,
      `a\n1\n${root}\n\nx\n`,
    ].map((text) => leftOf(readCheckpoint(text))),
    [
      'must begin with the name of a log',
      'must have a number of events',
      'must have a number of events',
      'must have a root hash',
      'must have a number of events',
      'must have a root hash',
      'has empty or unterminated lines',
      'has empty or unterminated lines',
    ],
  )
  t.deepEqual(
    [
      '',
      'a+b',
      OTHER_KIND,
      PETER.replace('c74f', 'c74e'),
      PETER.replace('Peter', 'P ter'),
      PETER.slice(0, -4),
      `${PETER}=`,
    ].map((key) => leftOf(readVerifier(key))),
    [
      'must be like name+00112233+ and base64',
      'must be like name+00112233+ and base64',
      'is not an Ed25519 key',
      'has the id of another key',
      'must be like name+00112233+ and base64',
      'is not an Ed25519 key',
      'must be like name+00112233+ and base64',
    ],
  )
})

test('an audit key is 32 bytes in base64, and errors do not include it', (t) => {
  const bytes = Buffer.alloc(32, 9)
  const key = rightOf(parseAuditKey(`# made by hand\n${bytes.toString('base64')}\n`))
  t.is(key.asymmetricKeyType, 'ed25519')
  t.deepEqual(key.export({ type: 'pkcs8', format: 'der' }).subarray(16), bytes)
  t.true(createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })).equals(key))
  for (const wrong of [
    '',
    'secret',
    `${bytes.toString('base64')}\n${bytes.toString('base64')}`,
    bytes.toString('hex'),
  ]) {
    t.is(leftOf(parseAuditKey(wrong)), 'must be 32 bytes in base64, as "openssl rand -base64 32" prints them')
  }
})
