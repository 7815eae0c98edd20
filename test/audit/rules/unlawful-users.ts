import {
  administrator,
  alice,
  bob,
  reservationCancelled,
  reservationReleased,
  userAdded,
  userChanged,
  userCredentials,
  userErased,
  userRemoved,
  userRestored,
  wall,
} from '../../domain/builders.ts'
import { type Entry, FIRST, idAt, of } from '../verify/morning.ts'

const BY_OIDC = { actor: 'oidc', role: 'system' } as const
export const BY_BERTH = { actor: 'berth', role: 'system' } as const
const carol = '590780914445534540190002'
const dave = '590780914445534540190003'
const erased = '590780914445534540190004'
const audrey = '590780914445534540190005'
const QUOTA = { hours_per_week: 1.5, reservations_max: null, priority_max: 0 }
const named = (n: number) => userCredentials(n, 'name')
const identified = (n: number) => userCredentials(n, 'epoch', 'identity', 'name')
const newPassword = (n: number) => userCredentials(n, 'password', 'epoch')
const by = (actor: string, role: 'tester' | 'auditor' = 'tester') => ({ actor, role })

/** First users, and what administrators and they themselves did to them. */
export const USERS: readonly Entry[] = [
  ['06:15', userAdded({ _id: administrator._id, role: 'administrator', credentials: userCredentials(1) }), BY_BERTH],
  ['06:15', userAdded({ credentials: userCredentials(2), quota: QUOTA }), BY_BERTH],
  ['06:15', userAdded({ _id: bob, credentials: userCredentials(3), scope: 'rack=4' })],
  ['06:15', userAdded({ _id: 'Zoë 😀', role: 'administrator', credentials: named(4) })],
  ['06:15', userAdded({ _id: audrey, role: 'auditor', credentials: userCredentials(5) })],
  ['06:15', userAdded({ _id: carol, credentials: userCredentials(6) })],
  ['06:15', userAdded({ _id: dave, credentials: userCredentials(7) })],
  ['06:15', userAdded({ _id: 'signed-on', credentials: identified(13) }), BY_OIDC],
  ['06:15', userChanged({ _id: 'signed-on', role: 'auditor' }), BY_OIDC],
  ['06:15', userAdded({ _id: erased, credentials: userCredentials(8) })],
  ['06:15', userRemoved(carol, 'cancel')],
  ['06:15', userRestored(carol)],
  ['06:16', userChanged({ quota: null, scope: 'rack=7' })],
  ['06:16', userChanged({ _id: bob, role: 'administrator' })],
  ['06:16', userChanged({ _id: bob, role: 'tester', quota: QUOTA, credentials: named(9) })],
  ['06:16', userChanged({ credentials: newPassword(10) }), by(alice)],
  ['06:16', userChanged({ _id: audrey, credentials: newPassword(11) }), by(audrey, 'auditor')],
  ['06:16', userRemoved(erased, 'cancel')],
  ['06:16', userErased(erased)],
  ['06:16', userRemoved('Zoë 😀')],
  ['06:17', userRemoved(dave, 'cancel')],
  ['06:17', userRemoved(bob, 'cancel')],
]

/** Of Bob's reservation. */
export const cancelled = of(reservationCancelled(idAt('05:21', 2), bob))

/** Events that are invalid after the morning log and these users, and the finding for each. */
export const INVALID_USERS: readonly (readonly [what: string, entry: Entry, expected: RegExp])[] = [
  ['a user added twice', ['06:20', userAdded()], /adds the user .* a second time/],
  ['a removed user added again', ['06:20', userAdded({ _id: dave })], /adds the user .* a second time/],
  ['an erased user added again', ['06:20', userAdded({ _id: erased })], /adds the user .* a second time/],
  ['a user without a name', ['06:20', userAdded({ _id: 'new', credentials: newPassword(12) })], /without a name/],
  [
    'credentials of a user listed twice',
    ['06:20', userChanged({ credentials: { id: idAt('06:20', 1), changed: ['name', 'name'] } })],
    /lists no changed credentials, or one twice/,
  ],
  ['a first user after others', ['06:20', userAdded({ _id: 'new' }), BY_BERTH], /adds first users to a log that has/],
  [
    'a user added by another process',
    ['06:20', userAdded({ _id: 'n' }), { ...BY_BERTH, actor: 'monitor' }],
    /monitor$/,
  ],
  [
    'an identity of a user that an administrator adds',
    ['06:20', userAdded({ _id: 'n', credentials: identified(12) })],
    /with an identity/,
  ],
  ['a user without an identity by a sign-in', ['06:20', userAdded({ _id: 'n' }), BY_OIDC], /without an identity/],
  [
    'a changed identity',
    ['06:20', userChanged({ credentials: userCredentials(12, 'identity') })],
    /changes the identity/,
  ],
  [
    'a quota by a sign-in',
    ['06:20', userChanged({ role: 'auditor', quota: null }), BY_OIDC],
    /changes more than a role/,
  ],
  ['a removal by a sign-in', ['06:20', userRemoved(), BY_OIDC], /is a UserRemoved by a system/],
  [
    'a user changed by the service itself',
    ['06:20', userChanged({ role: 'auditor' }), BY_BERTH],
    /under the name berth/,
  ],
  ['a user added by a tester', ['06:20', userAdded({ _id: 'new' }), by(alice)], /is a UserAdded by a tester/],
  ['a user added by an auditor', ['06:20', userAdded({ _id: 'n' }), by(audrey, 'auditor')], /by an auditor/],
  ['a change of an unknown user', ['06:20', userChanged({ _id: 'x', role: 'auditor' })], /changes .*, who is absent/],
  ['a change of a removed user', ['06:20', userChanged({ _id: dave, scope: 'a=b' })], /changes .*, who is removed/],
  ['a change of an erased user', ['06:20', userChanged({ _id: erased, scope: 'a=b' })], /changes .*, who is erased/],
  ['an empty change of a user', ['06:20', userChanged({})], /changes nothing/],
  ['a role set to its current value', ['06:20', userChanged({ role: 'tester' })], /sets role to its current value/],
  ['a quota set to its current value', ['06:20', userChanged({ quota: null })], /sets quota to its current value/],
  ['a scope set to its current value', ['06:20', userChanged({ scope: 'rack=7' })], /sets scope to its current value/],
  [
    'a quota of an auditor',
    ['06:20', userChanged({ _id: audrey, quota: QUOTA })],
    /sets a quota of a user who is audi/,
  ],
  [
    'a scope of an auditor',
    ['06:20', userChanged({ _id: audrey, scope: 'a=b' })],
    /sets a scope of a user who is audi/,
  ],
  ['a new administrator with a quota', ['06:20', userChanged({ role: 'administrator', quota: QUOTA })], /sets a quota/],
  ['an added auditor with a scope', ['06:20', userAdded({ _id: 'n', role: 'auditor', scope: 'a=b' })], /sets a scope/],
  [
    'another role for the last administrator',
    ['06:20', userChanged({ _id: administrator._id, role: 'tester' })],
    /leaves no administrator/,
  ],
  ['the removal of the last administrator', ['06:20', userRemoved(administrator._id)], /leaves no administrator/],
  ['a second removal', ['06:20', userRemoved(dave)], /removes .*, who is removed/],
  ['a removal of an erased user', ['06:20', userRemoved(erased)], /removes .*, who is erased/],
  ['a restoration of a present user', ['06:20', userRestored()], /restores .*, who is present/],
  ['a restoration of an erased user', ['06:20', userRestored(erased)], /restores .*, who is erased/],
  ['an erasure of a present user', ['06:20', userErased()], /erases .*, who is present/],
  ['a second erasure', ['06:20', userErased(erased)], /erases .*, who is erased/],
  ['a new name by the user itself', ['06:20', userChanged({ credentials: named(12) }), by(alice)], /by a tester/],
  ['a new scope by the user itself', ['06:20', userChanged({ scope: '' }), by(alice)], /by a tester/],
  [
    'a new password with a quota by the user itself',
    ['06:20', userChanged({ quota: QUOTA, credentials: newPassword(12) }), by(alice)],
    /by a tester/,
  ],
  ['a new password of another user', ['06:20', userChanged({ credentials: newPassword(12) }), by(bob)], /by a tester/],
  [
    'a new password of another user by an auditor',
    ['06:20', userChanged({ credentials: newPassword(12) }), by(audrey, 'auditor')],
    /by an auditor/,
  ],
  ['a removal by a tester', ['06:20', userRemoved(), by(alice)], /is a UserRemoved by a tester/],
  ['a removal by the service', ['06:20', userRemoved(), BY_BERTH], /is a UserRemoved by a system/],
  ['a restoration by the service', ['06:20', userRestored(dave), BY_BERTH], /is a UserRestored by a system/],
  [
    'a release by the service for a user who is present',
    ['06:20', of(reservationReleased(FIRST, wall('06:20'))), BY_BERTH],
    /the user .* was not removed with its reservations/,
  ],
  [
    'a cancellation under the name of another process',
    ['06:20', cancelled, { ...BY_BERTH, actor: 'schedule' }],
    /is by the service under the name schedule/,
  ],
]
