import test from 'ava'
import { retryKeyProjection } from '../../projections/retry-key.ts'
import { tokenProjection } from '../../projections/token.ts'
import { alice, sessionEnded, tokenIssued, tokenRevoked, userAdded } from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'
import { foldedBy } from '../read-models/given-then.ts'

const token = foldedBy(tokenProjection)
const _id = '0f5b3c2a91d84e7766aa0007'
const ISSUED = at('05:58:11.400', tokenIssued({ _id }))
const CREATED = '2030-05-02T05:58:11.400Z'

test('a token has its hash, which no answer shows, and not its name', (t) => {
  t.deepEqual(token(_id, ISSUED), {
    document: { _id, user_id: alice, role: 'tester', created_at: CREATED, expires_at: null, revoked_at: null },
    internal: { hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
    ended: null,
  })
})

test('a token has the time at which it expires, and from its revocation that time', (t) => {
  const expires_at = '2030-05-02T07:00:00.000Z'
  const expiring = at('05:58:11.400', tokenIssued({ _id, expires_at }))
  t.like(token(_id, expiring).document, { expires_at, revoked_at: null })
  const revoked = token(_id, expiring, at('06:00', tokenRevoked(_id)))
  t.is(revoked.ended, 'revoked')
  t.like(revoked.document, { expires_at, created_at: CREATED, revoked_at: '2030-05-02T06:00:00.000Z' })
})

test('events of users and other tokens belong to other documents', (t) => {
  t.is(tokenProjection.key(recordedAt(0, at('05:00', userAdded()))), undefined)
  t.is(tokenProjection.key(recordedAt(0, ISSUED)), _id)
  t.is(
    tokenProjection.key(recordedAt(1, at('05:00', tokenRevoked('0f5b3c2a91d84e7766aa0008')))),
    '0f5b3c2a91d84e7766aa0008',
  )
})

test('the end of a session is that of an object of its own, however often it is recorded', (t) => {
  const end = at('06:00', sessionEnded(_id))
  const ended = { document: { _id, user_id: alice }, internal: {}, ended: 'revoked' } as const
  t.deepEqual(token(_id, end), ended)
  t.deepEqual(token(_id, end, at('06:01', sessionEnded(_id))), ended)
})

test('the answers about tokens are not found by their idempotency keys, since they are no documents', (t) => {
  const key = `${'k'.repeat(22)}.${'r'.repeat(22)}`
  for (const event of [tokenIssued({ _id }), tokenRevoked(_id)])
    t.is(retryKeyProjection.key(recordedAt(0, at('05:00', event, { key }))), undefined)
  t.regex(retryKeyProjection.key(recordedAt(0, at('05:00', userAdded(), { key }))) ?? '', /k{22}$/)
})
