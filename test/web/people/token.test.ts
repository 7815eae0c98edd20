/** What the page says of tokens, without a browser. */

import test from 'ava'
import { expiryText, isExpiring, madeText, type Token } from '../../../src/web/features/people/tokens.ts'

const NOW = Date.parse('2026-11-25T09:42:00Z')

const aToken: Token = {
  ...{ _id: '1', name: 'nightly', role: 'tester', created_at: '2026-01-05T12:00:00Z', expires_at: null },
}
const until = (expires_at: string | null) =>
  [expiryText({ ...aToken, expires_at }, NOW), isExpiring({ ...aToken, expires_at }, NOW)] as const

test('a token that expires within two weeks is told by what is left', (t) => {
  t.deepEqual(until(null), ['never expires', false])
  t.deepEqual(until('2026-12-02T09:42:00Z'), ['expires in 7 days', true])
  t.deepEqual(until('2026-11-26T10:00:00Z'), ['expires in 1 day', true])
  t.deepEqual(until('2026-11-25T10:00:00Z'), ['expires within a day', true])
  t.deepEqual(until('2027-03-01T12:00:00Z'), ['until 1 Mar 2027', false])
})

test('a token that was made today is told by its time', (t) => {
  t.regex(madeText({ ...aToken, created_at: new Date(NOW).toISOString() }, NOW), /^Today \d\d:\d\d$/)
  t.is(madeText(aToken, NOW), '5 Jan 2026')
})
