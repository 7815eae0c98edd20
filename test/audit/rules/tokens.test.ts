import test from 'ava'
import { tokenStream } from '../../../src/domain/values/ids.ts'
import { bob, userRemoved, userRestored } from '../../domain/builders.ts'
import { type Entry, findingsIn, finds, MORNING } from '../verify/morning.ts'
import { revoked, TOKENS, token } from './unlawful-tokens.ts'
import { BY_BERTH, USERS } from './unlawful-users.ts'

const BEFORE: readonly Entry[] = [...MORNING, ...USERS]
const LOG: readonly Entry[] = [...BEFORE, ...TOKENS]

test('tokens have no findings, whoever of those who may issues and revokes them', async (t) => {
  t.deepEqual(await findingsIn(LOG), [])
  t.deepEqual(await findingsIn([...LOG, ['06:19', revoked(1), BY_BERTH], ['06:19', revoked(2)]]), [])
})

test('a token that was under way when its user was removed is no finding, a later one is', async (t) => {
  const removed: readonly Entry[] = [...LOG, ['06:20', userRemoved()]]
  t.deepEqual(await findingsIn([...removed, ['06:21', token(8)], ['06:21', revoked(8), BY_BERTH]]), [])
  await finds(t, /who is not present/, [...removed, ['06:21:00.001', token(8)]])
  t.deepEqual(await findingsIn([...removed, ['06:30', userRestored()], ['06:31', token(8)]]), [])
})

test('tokens are not judged by users where the stream of users is damaged', async (t) => {
  const log: readonly Entry[] = [...LOG, ['06:20', token(8, { user_id: 'x' })]]
  t.is((await findingsIn(log)).length, 1)
  const found = await findingsIn(log, (events) => events.toSpliced(MORNING.length, 1))
  t.is(found.length, 1, found.join('\n'))
  t.regex(String(found[0]), /is the first event of its stream but has the revision 1/)
})

test('an event of a token in the stream of another user is found', async (t) => {
  await finds(
    t,
    /is a TokenIssued, which does not belong in the stream tokens-/,
    [...BEFORE, ['06:20', token(8)]],
    (events) => events.with(-1, { ...events.at(-1), stream: tokenStream(bob), revision: 0 }),
  )
})
