import { hash, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import type { User } from '../../src/domain/user/user.ts'
import { type KnownToken, makeToken, makeTokens } from '../../src/users/tokens.ts'
import { clock as at } from '../domain/builders.ts'

const ALICE: User = { _id: '590780914445534540190000', name: 'alice', role: 'tester', accessSince: 0 }

const knownOf = ({ _id, hash }: { _id: string; hash: string }, more: Partial<KnownToken> = {}): KnownToken => ({
  ...{ _id, hash, user_id: ALICE._id, role: ALICE.role, created_at: '', expires_at: null, revoked_at: null },
  ...more,
})

/** A token of Alice, who may have changed since. */
const given = (more: Partial<KnownToken> = {}, user: User | undefined = ALICE) => {
  const made = makeToken(randomBytes)
  const known = new Map([[made._id, knownOf(made, more)]])
  const time = { now: at('06:00') }
  const people = new Map(user && [[user._id, user]])
  const tokens = makeTokens({
    find: (id) => known.get(id),
    users: { byId: (id) => people.get(id) },
    clock: () => time.now,
  })
  return { ...made, ...tokens, time, known, people }
}

test('a token is berth_ and 43 characters, and only its SHA-256 is kept', (t) => {
  const made = makeToken((size) => new Uint8Array(size).fill(255))
  t.is(made.token, `berth_${'_'.repeat(42)}8`)
  t.is(made._id, 'f'.repeat(24))
  t.is(made.hash, hash('sha256', made.token, 'hex'))
  const [one, other] = [makeToken(randomBytes), makeToken(randomBytes)]
  t.not(one.token, other.token)
  t.not(one._id, other._id)
})

test('property: no other text is good in place of a token', (t) => {
  const { token, userOf } = given()
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const changed = fc
    .tuple(fc.nat(token.length - 1), fc.constantFrom(...DIGITS))
    .map(([index, digit]) => token.slice(0, index) + digit + token.slice(index + 1))
  const others = fc.oneof(changed, fc.string(), fc.constantFrom(`${token}=`, `${token}A`, token.slice(0, -1), ''))
  fc.assert(
    fc.property(others, (text) => text === token || userOf(text) === undefined),
    { numRuns: 2_000 },
  )
  // The last digit has two bits more than the bytes: other spellings of the same bytes are not good either.
  const last = DIGITS.indexOf(token.at(-1) ?? '')
  for (const bits of [1, 2, 3]) t.is(userOf(token.slice(0, -1) + DIGITS[last + bits]), undefined)
  t.truthy(userOf(token))
})
