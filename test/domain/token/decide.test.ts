import test from 'ava'
import type { DataOf, Event } from '../../../src/domain/event.ts'
import { TOKENS_MAX, type TokenCommand, tokenDecider, validTokens } from '../../../src/domain/token/decide.ts'
import { alice, clock, sessionEnded, tokenIssued, tokenRevoked } from '../builders.ts'
import { at, decided, type Past, records, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(tokenDecider)

const idOf = (n: number): string => n.toString(16).padStart(24, '0')
const issued = (n: number, expires_at?: string): Event =>
  tokenIssued({ _id: idOf(n), ...(expires_at !== undefined && { expires_at: `2030-05-02T${expires_at}:00.000Z` }) })
const issue = (n: number): TokenCommand => ({
  type: 'IssueToken',
  token: issued(n).data as DataOf<'TokenIssued'>,
})
const revoke = (n: number): TokenCommand => ({ type: 'RevokeToken', _id: idOf(n), user_id: alice })
const revokeThese = (...numbers: readonly number[]): TokenCommand => ({
  ...{ type: 'RevokeTokens', user_id: alice, ids: new Set(numbers.map(idOf)) },
})
const REVOKE_ALL = revokeThese(...Array.from({ length: TOKENS_MAX }, (_, n) => n + 1))

const manyIssued = (count: number, expires_at?: string): readonly Past[] =>
  Array.from({ length: count }, (_, n) => at('05:00', issued(n + 1, expires_at)))

test('a token is issued with what the command brings', (t) => {
  t.deepEqual(given().when(issue(1), '06:00'), records(issued(1)))
  t.deepEqual(given(at('05:00', issued(1))).when(issue(2), '06:00'), records(issued(2)))
})

test('a user has at most a thousand tokens that are good', (t) => {
  const all = manyIssued(TOKENS_MAX)
  t.deepEqual(whyRefused(given(...all).when(issue(2_000), '06:00')), ['too_many_tokens'])
  t.is(decided(given(...all.slice(1)).when(issue(2_000), '06:00')).type, 'TokenIssued')
  t.is(decided(given(...all, at('05:30', tokenRevoked(idOf(7)))).when(issue(2_000), '06:00')).type, 'TokenIssued')
  const expiring = manyIssued(TOKENS_MAX, '06:00')
  t.deepEqual(whyRefused(given(...expiring).when(issue(2_000), '05:59')), ['too_many_tokens'])
  t.is(decided(given(...expiring).when(issue(2_000), '06:00')).type, 'TokenIssued')
})

test('a token is revoked once, also when it has expired', (t) => {
  const past = [at('05:00', issued(1)), at('05:00', issued(2, '05:30'))]
  t.deepEqual(given(...past).when(revoke(1), '06:00'), records(tokenRevoked(idOf(1))))
  t.deepEqual(given(...past).when(revoke(2), '06:00'), records(tokenRevoked(idOf(2))))
  t.deepEqual(whyRefused(given(...past).when(revoke(3), '06:00')), ['token_not_found'])
  const again = given(...past, at('05:10', tokenRevoked(idOf(1)))).when(revoke(1), '06:00')
  t.deepEqual(whyRefused(again), ['token_not_found'])
})

test('a session is ended, also for the second time, without its beginning having been recorded', (t) => {
  const { data } = sessionEnded(idOf(7))
  const session = { ...data, session_until: data.session_until ?? '' }
  t.deepEqual(given().when({ type: 'EndSession', session }, '06:00'), records(sessionEnded(idOf(7))))
  const again = given(at('05:00', sessionEnded(idOf(7)))).when({ type: 'EndSession', session }, '06:00')
  t.deepEqual(again, records(sessionEnded(idOf(7))))
})

test('the ends of sessions neither count as tokens nor revoke any', (t) => {
  const past = [at('05:00', issued(1)), at('05:10', sessionEnded(idOf(7)))]
  t.deepEqual(given(...past).when(REVOKE_ALL, '06:00'), records(tokenRevoked(idOf(1))))
})

test('all tokens are revoked at once, and without any nothing is recorded', (t) => {
  t.deepEqual(given().when(REVOKE_ALL, '06:00'), records())
  const past = [at('05:00', issued(1)), at('05:01', issued(2, '05:30')), at('05:02', tokenRevoked(idOf(1)))]
  t.deepEqual(given(...past).when(REVOKE_ALL, '06:00'), records(tokenRevoked(idOf(2))))
  const more = given(...past, at('05:03', issued(3))).when(REVOKE_ALL, '06:00')
  t.deepEqual(more, records(tokenRevoked(idOf(2)), tokenRevoked(idOf(3))))
})

test('only the tokens that a command names are revoked with the others', (t) => {
  const past = [at('05:00', issued(1)), at('05:01', issued(2))]
  t.deepEqual(given(...past).when(revokeThese(1, 3), '06:00'), records(tokenRevoked(idOf(1))))
})

test('more than fit into an append are revoked by further commands, the oldest first', (t) => {
  const first = given(...manyIssued(TOKENS_MAX)).when(REVOKE_ALL, '06:00')
  t.deepEqual(first, records(...Array.from({ length: 500 }, (_, n) => tokenRevoked(idOf(n + 1)))))
})

test('good tokens are those that have not expired, oldest first', (t) => {
  const { state } = given(at('05:00', issued(1)), at('05:00', issued(2, '06:00')), at('05:01', issued(3, '07:00')))
  const validAt = (time: string) => validTokens(state, clock(time)).map(({ _id }) => Number(_id))
  t.deepEqual([validAt('05:59'), validAt('06:00'), validAt('07:00')], [[1, 2, 3], [1, 3], [1]])
  t.deepEqual(validTokens(state, clock('06:00'))[1], {
    ...{ _id: idOf(3), role: 'tester', created_at: '2030-05-02T05:01:00.000Z' },
    expires_at: '2030-05-02T07:00:00.000Z',
  })
})

test('as many expired tokens are remembered as good ones may be, and no more', (t) => {
  const expired = manyIssued(TOKENS_MAX + 1, '05:30')
  const { state, when } = given(...expired, at('06:00', issued(5_000)))
  t.is(state.tokens.length, TOKENS_MAX + 1)
  t.deepEqual(whyRefused(when(revoke(1), '06:00')), ['token_not_found'])
  t.is(decided(when(revoke(2), '06:00')).type, 'TokenRevoked')
})
