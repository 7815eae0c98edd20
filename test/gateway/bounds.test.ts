/** What is remembered of clients, tickets and checks is bounded, and reaching a bound stops nothing. */

import { createSecretKey } from 'node:crypto'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { makeAdmissions } from '../../src/gateway/worker/entry.ts'
import { makeConnectionRefusals } from '../../src/gateway/worker/refusal-counts.ts'
import { makeUsedTickets } from '../../src/http/console/used-tickets.ts'
import type { Call } from '../../src/http/protocol/call.ts'
import { makeLastChecks, sutChanges } from '../../src/http/routes/suts/suts.ts'
import { makeClientPseudonyms } from '../../src/vault/derived/client-pseudonyms.ts'

const addressOf = (n: number): string => `10.0.${n >> 8}.${n & 255}`

test('a reservation remembers 256 verdicts, and asks again about the address that it has forgotten', async (t) => {
  let asked: string[] = []
  const { verdictFor } = makeAdmissions(async (address) => {
    asked.push(address)
    return { admitted: false, reason: 'not_holder' }
  })
  for (let n = 0; n <= 256; n++) await verdictFor(addressOf(n))
  asked = []
  for (const n of [256, 1, 0]) t.like(await verdictFor(addressOf(n)), { reason: 'not_holder' })
  t.deepEqual(asked, [addressOf(0)])
})

test('refusals of thousands of connections are one report for each reservation and reason', (t) => {
  const reports: unknown[] = []
  const { refused, flush } = makeConnectionRefusals((name, args) => reports.push([name, ...args]))
  for (let n = 0; n < 5_000; n++) refused(`${n % 2}`, 'not_holder')
  flush()
  t.deepEqual(
    reports,
    ['0', '1'].map((reservationId) => ['onRefused', reservationId, 'not_holder', 2_500]),
  )
})

test('more used tickets than are remembered open nothing, until the oldest have expired', (t) => {
  let now = 0
  const { claim } = makeUsedTickets(() => now)
  for (let n = 0; n < 50_000; n++) claim(`${n}`, 30_000 + n)
  t.is(claim('another', 90_000), 'full')
  t.is(claim('0', 30_000), 'used', 'none is forgotten before it expires')
  now = 30_000
  t.is(claim('another', 90_000), 'claimed')
  t.is(claim('a third', 90_000), 'full')
})

test('more SUTs than are remembered can be checked within a second', async (t) => {
  let checks = 0
  const parts = {
    objects: { newest: async (_: string, id: string) => E.right({ id, ended: null }) } as never,
    checkSut: async () => {
      checks++
      return E.right({ cause: undefined, milliseconds: 1 })
    },
    lastChecks: makeLastChecks(),
    clock: () => 0,
    sinceBoot: () => 0,
  }
  const { handler } = sutChanges.find(({ id }) => id === 'checkSut') as (typeof sutChanges)[number]
  const check = (n: number) => handler(parts as never, { user: {}, id: `${n}` } as unknown as Call)
  for (let n = 0; n <= 10_001; n++) await check(n)
  t.is(checks, 10_002)
  t.like(await check(10_001), { left: { code: 'too_many_checks' } })
  t.true(E.isRight(await check(0)), 'the one that was checked first is forgotten')
})

test('more addresses than are remembered keep their pseudonyms', (t) => {
  const key = { id: 'k1', key: createSecretKey(Buffer.alloc(32, 1)) }
  const { of, matches } = makeClientPseudonyms(() => ({ current: key, keys: [key] }), 128)
  const pseudonyms = Array.from({ length: 10_500 }, (_, n) => of(addressOf(n)))
  t.is(new Set(pseudonyms).size, pseudonyms.length)
  for (const n of [0, 1, 10_499]) t.true(of(addressOf(n)) === pseudonyms[n] && matches(of(addressOf(n)), addressOf(n)))
})
