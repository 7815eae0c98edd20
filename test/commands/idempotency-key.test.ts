import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { findRecorded, makeIdempotencyKeys } from '../../src/commands/idempotency-key.ts'
import { Metadata } from '../../src/domain/event.ts'
import { addRecord, type IdempotencyRecords } from '../../src/domain/idempotency-records.ts'
import { type KeyRing, parseVaultKeys } from '../../src/vault/keys.ts'
import { SUT_ID, sutCreated } from '../domain/builders.ts'
import { recordedAt } from '../domain/given-when-then.ts'
import { rightOf } from '../users/builders.ts'

const ringOf = (...ids: readonly string[]): KeyRing =>
  rightOf(parseVaultKeys(ids.map((id) => `${id}:${randomBytes(32).toString('base64')}`).join()))

const keysOf = (ring: Pick<KeyRing, 'keys'>) => makeIdempotencyKeys(() => ring)

type Request = readonly [user: string, key: string, method: string, path: string, body: string]
const request: Request = ['alice', 'key-1', 'POST', '/api/sut/create', '{"password":"CaNaRy"}']

const knownAs = (...keys: readonly string[]): IdempotencyRecords =>
  keys.reduce<IdempotencyRecords>((known, key, n) => {
    const event = recordedAt(n, { time: 0, event: sutCreated(), more: { key } })
    return addRecord(known, event, 0, 0)
  }, [])
const first = { revision: 0, _id: SUT_ID, created: true }

test('the same request with the same key derives the same value, as text or bytes', (t) => {
  const keys = keysOf(ringOf('a'))
  const { current, candidates } = keys.derive(...request)
  const [user, key, method, path, body] = request
  t.is(keys.derive(user, key, method, path, Buffer.from(body)).current, current)
  t.deepEqual(candidates, [current])
})

test('the recorded value is valid metadata and reveals nothing about the request', (t) => {
  const { current } = keysOf(ringOf('a')).derive(...request)
  const metadata = { actor: 'a', role: 'tester', request_id: 'r', time: '2030-05-02T05:58:11.400Z', schema: 1 }
  t.true(E.isRight(Metadata.decode({ ...metadata, key: current })))
  for (const part of request) t.false(current.includes(part))
})

test('a key that comes with another body, path or method is reused; another key or user is unknown', (t) => {
  const keys = keysOf(ringOf('a'))
  const known = knownAs(keys.derive(...request).current)
  const [user, key, method, path, body] = request
  const others: readonly (readonly [Request, 'reused' | undefined])[] = [
    [[user, key, method, path, '{"password":"other"}'], 'reused'],
    [[user, key, method, '/api/sut/x/update', body], 'reused'],
    [[user, key, 'PUT', path, body], 'reused'],
    [[user, key, method, path.slice(0, -1), `e${body}`], 'reused'],
    [[user, 'key-2', method, path, body], undefined],
    [['bob', key, method, path, body], undefined],
    [['alic', `e${key}`, method, path, body], undefined],
  ]
  for (const [other, expected] of others) t.is(findRecorded(known, keys.derive(...other)), expected, other.join(' '))
  t.deepEqual(findRecorded(known, keys.derive(...request)), first)
})

test('property: different requests derive different values', (t) => {
  const keys = keysOf(ringOf('a'))
  const letters = fc.string({ unit: fc.constantFrom('a', '"', ',', '[', ']'), maxLength: 3 })
  const requests = fc.tuple(letters, letters, letters, letters, letters)
  fc.assert(
    fc.property(requests, requests, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other)
      return (keys.derive(...one).current === keys.derive(...other).current) === isSame
    }),
    { numRuns: 500 },
  )
  t.pass()
})

test('a request recorded under an older vault key is found, and its reuse detected', (t) => {
  const [old, next] = [ringOf('old'), ringOf('new')]
  const rotated = keysOf({ keys: [...next.keys, ...old.keys] })
  const known = knownAs(keysOf(old).derive(...request).current)
  const retry = rotated.derive(...request)
  t.is(retry.candidates.length, 2)
  t.is(retry.current, keysOf(next).derive(...request).current)
  t.deepEqual(findRecorded(known, retry), first)
  t.is(findRecorded(known, rotated.derive('alice', 'key-1', 'POST', '/elsewhere', '')), 'reused')
  t.is(findRecorded(known, keysOf(next).derive(...request)), undefined)
})

test('of several records for one key, the last counts', (t) => {
  const keys = keysOf(ringOf('a'))
  const other = keys.derive('alice', 'key-1', 'POST', '/elsewhere', '').current
  const known = knownAs(other, keys.derive(...request).current)
  t.deepEqual(findRecorded(known, keys.derive(...request)), { ...first, revision: 1 })
  t.is(findRecorded([], keys.derive(...request)), undefined)
})
