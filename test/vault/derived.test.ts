/** What is made with keys derived from those of the vault. */

import { createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { makeClientPseudonyms } from '../../src/vault/derived/client-pseudonyms.ts'
import { makeSealer } from '../../src/vault/derived/sealer.ts'
import type { KeyRing, VaultKey } from '../../src/vault/keys.ts'

const keyOf = (id: string, byte: number): VaultKey => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) })
const [FIRST, SECOND] = [keyOf('k1', 1), keyOf('k2', 2)]

const ringOf =
  (...keys: readonly [VaultKey, ...VaultKey[]]) =>
  (): KeyRing => ({ current: keys[0], keys })

const derivedFrom = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 1), '', purpose, 32))

const CONTENT = { state: 's'.repeat(43), verifier: 'v'.repeat(43), expires: 1_903_932_150_000 }

const sealerUnder = (purpose: string, ...keys: Parameters<typeof ringOf>) =>
  makeSealer<typeof CONTENT>(ringOf(...keys), purpose, randomBytes)

test('a sealed text is opened under every key of the ring, for its purpose only, and not once its key is gone', (t) => {
  const { seal, open } = sealerUnder('one', FIRST)
  const text = seal(CONTENT)
  t.regex(text, /^[\w-]+$/)
  t.deepEqual(open(text), CONTENT)
  t.deepEqual(sealerUnder('one', SECOND, FIRST).open(text), CONTENT)
  t.is(sealerUnder('one', SECOND).open(text), undefined)
  t.is(sealerUnder('another', FIRST).open(text), undefined)
  t.not(seal(CONTENT), text, 'no two are alike')
})

test('a text that differs from a sealed one in any character is none', (t) => {
  const { seal, open } = sealerUnder('one', FIRST)
  const text = seal(CONTENT)
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(1), fc.string({ maxLength: 3 }), (place, removed, added) => {
      const changed = text.slice(0, place) + added + text.slice(place + removed)
      t.is(open(changed) === undefined, changed !== text, changed)
    }),
    { numRuns: 2_000 },
  )
  for (const other of ['', 'a', '.', 'a.b', 'A'.repeat(38), 'a'.repeat(10_000), `${text}=`, `${text}.`])
    t.is(open(other), undefined)
})

test('what is sealed is encrypted with AES-256-GCM under a key derived from the vault key', (t) => {
  const bytes = Buffer.from(sealerUnder('one', FIRST).seal(CONTENT), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', derivedFrom('one'), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  t.is(decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8'), JSON.stringify(CONTENT))
})

test('a pseudonym is the key id and half of an HMAC of the address, and is known while the ring has its key', (t) => {
  let ring = ringOf(FIRST)
  const { of, matches, isKnown } = makeClientPseudonyms(() => ring(), 128)
  const hash = createHmac('sha256', derivedFrom('berth client address v1')).update('192.0.2.7').digest()
  const before = of('192.0.2.7')
  t.is(before, `k1:${hash.subarray(0, 16).toString('base64url')}`)
  t.is(of('192.0.2.7'), before)
  t.not(of('192.0.2.8'), before)
  ring = ringOf(SECOND, FIRST)
  t.regex(of('192.0.2.7'), /^k2:/)
  t.true(matches(before, '192.0.2.7') && matches(of('192.0.2.7'), '192.0.2.7') && isKnown(before))
  t.false(matches(before, '192.0.2.8'))
  ring = ringOf(SECOND)
  t.false(matches(before, '192.0.2.7') || isKnown(before))
})
