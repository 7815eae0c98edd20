import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { makeClientPseudonyms } from '../../src/vault/derived/client-pseudonyms.ts'
import { makeConsoleTickets } from '../../src/vault/derived/console-tickets.ts'
import { makeSignInTransactions, TRANSACTION_MAX } from '../../src/vault/derived/sign-in-transactions.ts'
import type { KeyRing, VaultKey } from '../../src/vault/keys.ts'

/** What is made with keys derived from those of the vault. */

const keyOf = (id: string, byte: number): VaultKey => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) })
const [FIRST, SECOND] = [keyOf('k1', 1), keyOf('k2', 2)]

const ringOf =
  (...keys: readonly [VaultKey, ...VaultKey[]]) =>
  (): KeyRing => ({ current: keys[0], keys })

const derivedFrom = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 1), '', purpose, 32))

const TICKET = {
  reservationId: '58c38f5d444553252cce0000',
  userId: 'alice',
  accessSince: 7,
  access: { token: '9c3e20dbe6cb1698d7e6e39b', role: 'tester', expires: 1_903_932_200_000 },
  expires: 1_903_932_150_000,
}
const TRANSACTION = {
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  verifier: 'v'.repeat(43),
  expires: 1_903_932_150_000,
}

/** Texts that a browser keeps: how they are made and opened under a ring, and what they have. */
const KINDS = {
  ticket: {
    content: TICKET,
    under: (...keys: Parameters<typeof ringOf>) => {
      const { issue, verify } = makeConsoleTickets(ringOf(...keys), randomBytes)
      return { make: () => issue(TICKET), open: verify }
    },
  },
  transaction: {
    content: TRANSACTION,
    under: (...keys: Parameters<typeof ringOf>) => {
      const { seal, open } = makeSignInTransactions(ringOf(...keys), randomBytes)
      return { make: () => seal(TRANSACTION), open }
    },
  },
}

for (const [kind, { content, under }] of Object.entries(KINDS)) {
  test(`a ${kind} is opened under every key of the ring, and not once its key is gone; no two are alike`, (t) => {
    const { make, open } = under(FIRST)
    const text = make()
    t.like(open(text), content)
    t.like(under(SECOND, FIRST).open(text), content)
    t.is(under(SECOND).open(text), undefined)
    t.not(make(), text)
    t.regex(text, /^[\w.-]+$/)
  })

  test(`a text that differs from a ${kind} in any character is none`, (t) => {
    const { make, open } = under(FIRST)
    const text = make()
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
}

test('a ticket is signed with HMAC-SHA-256 under a key derived from the vault key', (t) => {
  const [payload = '', signature] = KINDS.ticket.under(FIRST).make().split('.')
  t.is(signature, createHmac('sha256', derivedFrom('berth console ticket v1')).update(payload).digest('base64url'))
})

test('a transaction tells nothing', (t) => {
  const text = KINDS.transaction.under(FIRST).make()
  t.true(text.length < TRANSACTION_MAX)
  const clear = Buffer.from(text, 'base64url').toString('latin1')
  // Three of a letter are there by chance in one of 350 transactions.
  for (const secret of ['s', 'n', 'v'].map((letter) => letter.repeat(8)))
    t.false(text.includes(secret) || clear.includes(secret))
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
