import test from 'ava'
import {
  administrator,
  alice,
  bob,
  reservationCancelled,
  reservationReleased,
  sessionEnded,
  userAdded,
  userChanged,
  userErased,
  userRemoved,
  userRestored,
  wall,
} from '../../domain/builders.ts'
import { BY_BERTH, type Entry, FIRST, findingsIn, findsLast, idAt, MORNING, made, of } from './morning.ts'
import {
  audrey,
  BY_OIDC,
  by,
  cancelled,
  dave,
  idOfToken,
  named,
  newPassword,
  PEOPLE,
  QUOTA,
  revoked,
  token,
} from './people.ts'

/** An event that is unlawful after the morning log and these people, and what is found. */
type Row = readonly [what: string, event: Entry[1], expected: RegExp, more?: Entry[2]]

const USERS: readonly Row[] = [
  ['a user added twice', userAdded({ _id: dave }), /refused, user_id_taken/],
  ['a removal by a sign-in', userRemoved(), /is a UserRemoved by a system/, BY_OIDC],
  ['a user changed by the service', userChanged({ role: 'auditor' }), /under the name berth/, BY_BERTH],
  ['a user added by a tester', userAdded({ _id: 'new' }), /is a UserAdded by a tester/, by(alice)],
  ['a user added by an auditor', userAdded({ _id: 'n' }), /by an auditor/, by(audrey, 'auditor')],
  ['a change of an unknown user', userChanged({ _id: 'x', role: 'auditor' }), /user_not_found/],
  ['a quota set to its current value with a new scope', userChanged({ quota: null, scope: '' }), /another quota/],
  ['another role for the last administrator', userChanged({ _id: administrator._id, role: 'tester' }), /last_admin/],
  ['a restoration of a present user', userRestored(), /user_not_removed/],
  ['an erasure of a present user', userErased(), /user_not_removed/],
  ['a new name by the user itself', userChanged({ credentials: named(12) }), /by a tester/, by(alice)],
  [
    'a new password with a quota by the user itself',
    userChanged({ quota: QUOTA, credentials: newPassword(12) }),
    /by a tester/,
    by(alice),
  ],
  ['a new password of another', userChanged({ credentials: newPassword(12) }), /by a tester/, by(bob)],
  [
    'a release by the service for a user who is present',
    of(reservationReleased(FIRST, wall('06:20'))),
    /the user .* was not removed with its reservations/,
    BY_BERTH,
  ],
  ['a cancellation under another name', cancelled, /under the name schedule/, { ...BY_BERTH, actor: 'schedule' }],
]

const TOKENS: readonly Row[] = [
  ['a token issued twice', token(1), /assigned before/],
  ['a token of an unknown user', token(8, { user_id: 'x' }), /of the user x, who is not present/],
  [
    'a token with a higher role than its issuer',
    token(8, { role: 'administrator' }),
    /with the role administrator, by a tester/,
    by(alice),
  ],
  ['a token of another user by a tester', token(8), /is by the tester .* for the user/, by(bob)],
  ['a token issued by the service', token(8), /is a TokenIssued by a system/, BY_BERTH],
  ['a revocation of an unknown token', revoked(8), /refused, token_not_found/],
  ['a revocation by another tester', revoked(1), /is by the tester .* for the user/, by(bob)],
  ['the end of a session by another user', sessionEnded(idOfToken(22)), /ends the session .* of the user .*, by/],
]

for (const [what, event, expected, more] of [...USERS, ...TOKENS])
  test(`verify finds ${what}`, (t) => findsLast(t, expected, [...MORNING, ...PEOPLE, ['06:20', event, more ?? {}]]))

test('the service may end what was made before a restoration for a minute, and nothing made after it', async (t) => {
  const restored: readonly Entry[] = [...MORNING, ...PEOPLE, ['06:18', userRestored(bob)]]
  const expected = /was not removed with its reservations/
  await findsLast(t, expected, [...restored, ['06:19:00.001', cancelled, BY_BERTH]])
  const end: Entry = ['06:18:30', of(reservationCancelled(idAt('06:18', 7), bob)), BY_BERTH]
  await findsLast(t, expected, [...restored, made('06:18', 7, '15:00', '16:00', bob), end])
  await findsLast(t, expected, [...restored, ['06:30', userRemoved(bob)], ['06:31', cancelled, BY_BERTH]])
})

test('a token that was under way when its user was removed is no finding, a later one is', async (t) => {
  const removed: readonly Entry[] = [...MORNING, ...PEOPLE, ['06:20', userRemoved()]]
  await findsLast(t, /who is not present/, [...removed, ['06:21:00.001', token(8)]])
})

test('what users may do is not judged where the stream of users is damaged', async (t) => {
  const log: readonly Entry[] = [
    ...MORNING,
    ...PEOPLE,
    ['06:20', token(8, { user_id: 'x' })],
    ['06:20', cancelled, BY_BERTH],
  ]
  const found = await findingsIn(log, (events) => events.toSpliced(MORNING.length, 1))
  t.is(found.length, 1, found.join('\n'))
  t.regex(String(found[0]), /is the first event of its stream but has the revision 1/)
})
