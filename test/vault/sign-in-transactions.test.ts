import { createSecretKey, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { makeSignInTransactions, TRANSACTION_MAX } from '../../src/vault/derived/sign-in-transactions.ts'
import type { VaultKey } from '../../src/vault/keys.ts'

const keyOf = (id: string, byte: number): VaultKey => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) })
const [FIRST, SECOND] = [keyOf('k1', 1), keyOf('k2', 2)]
const TRANSACTION = {
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  verifier: 'v'.repeat(43),
  expires: 1_903_932_150_000,
}

const under = (...keys: readonly [VaultKey, ...VaultKey[]]) =>
  makeSignInTransactions(() => ({ current: keys[0], keys }), randomBytes)

test('a transaction is opened under every key of the ring, and not once its key is gone', (t) => {
  const sealed = under(FIRST).seal(TRANSACTION)
  t.deepEqual(under(FIRST).open(sealed), TRANSACTION)
  t.deepEqual(under(SECOND, FIRST).open(sealed), TRANSACTION)
  t.is(under(SECOND).open(sealed), undefined)
})

test('a transaction tells nothing, and no two are alike', (t) => {
  const { seal } = under(FIRST)
  const [one, other] = [seal(TRANSACTION), seal(TRANSACTION)]
  t.not(one, other)
  t.regex(one, /^[\w-]+$/)
  t.true(one.length < TRANSACTION_MAX)
  const clear = Buffer.from(one, 'base64url').toString('latin1')
  // Three of a letter are there by chance in one of 350 transactions.
  for (const secret of ['s', 'n', 'v'].map((letter) => letter.repeat(8)))
    t.false(one.includes(secret) || clear.includes(secret))
})

test('a text that differs from a transaction in any character is none', (t) => {
  const { seal, open } = under(FIRST)
  const sealed = seal(TRANSACTION)
  fc.assert(
    fc.property(fc.nat(sealed.length), fc.nat(1), fc.string({ maxLength: 3 }), (place, removed, added) => {
      const changed = sealed.slice(0, place) + added + sealed.slice(place + removed)
      t.is(open(changed) === undefined, changed !== sealed, changed)
    }),
    { numRuns: 2_000 },
  )
  for (const text of ['', 'a', '.', 'A'.repeat(38), 'a'.repeat(10_000), `${sealed}=`]) t.is(open(text), undefined)
})
