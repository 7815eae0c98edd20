import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { makeConsoleTickets } from '../../src/vault/derived/console-tickets.ts'
import type { VaultKey } from '../../src/vault/keys.ts'

const keyOf = (id: string, byte: number): VaultKey => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) })
const [FIRST, SECOND] = [keyOf('k1', 1), keyOf('k2', 2)]
const TICKET = {
  reservationId: '58c38f5d444553252cce0000',
  userId: 'alice',
  accessSince: 7,
  access: { token: '9c3e20dbe6cb1698d7e6e39b', role: 'tester', expires: 1_903_932_200_000 },
  expires: 1_903_932_150_000,
}

const ticketsUnder = (...keys: readonly [VaultKey, ...VaultKey[]]) =>
  makeConsoleTickets(() => ({ current: keys[0], keys }), randomBytes)

test('a ticket is signed with HMAC-SHA-256 under a key derived from the vault key', (t) => {
  const [payload = '', signature] = ticketsUnder(FIRST).issue(TICKET).split('.')
  const derived = Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 1), '', 'berth console ticket v1', 32))
  t.is(signature, createHmac('sha256', derived).update(payload).digest('base64url'))
})

test('a ticket is verified under every key of the ring, and not once its key is gone', (t) => {
  const issued = ticketsUnder(FIRST).issue(TICKET)
  t.like(ticketsUnder(FIRST).verify(issued), TICKET)
  t.like(ticketsUnder(SECOND, FIRST).verify(issued), TICKET)
  t.is(ticketsUnder(SECOND).verify(issued), undefined)
})

test('two tickets for the same differ', (t) => {
  const { issue, verify } = ticketsUnder(FIRST)
  const [one, other] = [issue(TICKET), issue(TICKET)]
  t.not(one, other)
  t.not(verify(one)?.nonce, verify(other)?.nonce)
})

test('whatever a ticket is for, it is safe in a path and says the same when verified', (t) => {
  const { issue, verify } = ticketsUnder(FIRST)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }), fc.nat(), (userId, expires) => {
      const issued = issue({ ...TICKET, userId, expires })
      t.regex(issued, /^[\w-]+\.[\w-]{43}$/)
      t.like(verify(issued), { ...TICKET, userId, expires })
    }),
    { numRuns: 200 },
  )
})

test('a text that differs from a ticket in any character is none', (t) => {
  const { issue, verify } = ticketsUnder(FIRST)
  const issued = issue(TICKET)
  fc.assert(
    fc.property(fc.nat(issued.length), fc.nat(1), fc.string({ maxLength: 3 }), (place, removed, added) => {
      const changed = issued.slice(0, place) + added + issued.slice(place + removed)
      t.is(verify(changed) === undefined, changed !== issued, changed)
    }),
    { numRuns: 2_000 },
  )
  for (const text of ['', '.', 'a.b', 'a'.repeat(10_000), `${issued}.`]) t.is(verify(text), undefined)
})
