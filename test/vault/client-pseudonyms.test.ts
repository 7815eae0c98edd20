import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import test from 'ava'
import { makeClientPseudonyms } from '../../src/vault/derived/client-pseudonyms.ts'
import type { VaultKey } from '../../src/vault/keys.ts'

const keyOf = (id: string, byte: number): VaultKey => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) })
const [FIRST, SECOND] = [keyOf('k1', 1), keyOf('k2', 2)]

test('a pseudonym is the key id and half of an HMAC of the address, under a key derived from the vault key', (t) => {
  const { of } = makeClientPseudonyms(() => ({ current: FIRST, keys: [FIRST] }), 128)
  const derived = hkdfSync('sha256', Buffer.alloc(32, 1), '', 'berth client address v1', 32)
  const hash = createHmac('sha256', Buffer.from(derived)).update('192.0.2.7').digest().subarray(0, 16)
  t.is(of('192.0.2.7'), `k1:${hash.toString('base64url')}`)
  t.is(of('192.0.2.7'), of('192.0.2.7'))
  t.not(of('192.0.2.7'), of('192.0.2.8'))
})

test('a pseudonym matches its address under every key of the ring, and none once its key is gone', (t) => {
  let ring = { current: FIRST, keys: [FIRST] }
  const { of, matches, isKnown } = makeClientPseudonyms(() => ring, 128)
  const before = of('192.0.2.7')
  ring = { current: SECOND, keys: [SECOND, FIRST] }
  t.regex(of('192.0.2.7'), /^k2:/)
  t.true(matches(before, '192.0.2.7') && matches(of('192.0.2.7'), '192.0.2.7'))
  t.false(matches(before, '192.0.2.8'))
  t.true(isKnown(before))
  ring = { current: SECOND, keys: [SECOND] }
  t.false(matches(before, '192.0.2.7'))
  t.false(isKnown(before))
})
