import test from 'ava'
import type { Role } from '../../../src/domain/events/user.ts'
import { userDecider } from '../../../src/domain/user/decide.ts'
import { findUser } from '../../../src/domain/user/state.ts'
import {
  administrator,
  alice,
  bob,
  idOf,
  userAdded,
  userChanged,
  userCredentials,
  userErased,
  userRemoved,
  userRestored,
} from '../builders.ts'
import { at, type Past, records, refusal, stories, whyRefused } from '../given-when-then.ts'
import { ALICE_NAME, add, change, erase, PEOPLE, QUOTA, remove, restore } from './people.ts'

const { given } = stories(userDecider)
const people = given(...PEOPLE)
const removed = given(...PEOPLE, at('05:10', userRemoved()))
const erased = given(...PEOPLE, at('05:10', userRemoved()), at('05:11', userErased()))

test('a change records only what changes', (t) => {
  const limited = given(...PEOPLE, at('05:10', userChanged({ quota: QUOTA, scope: 'rack=4' })))
  const same = { role: 'tester', quota: { ...QUOTA }, scope: 'rack=4' } as const
  t.deepEqual(limited.when(change(same), '06:00'), records())
  t.deepEqual(limited.when(change({ ...same, scope: '' }), '06:00'), records(userChanged({ scope: '' })))
  t.deepEqual(limited.when(change({ ...same, quota: null }), '06:00'), records(userChanged({ quota: null })))
  const quota = { ...QUOTA, priority_max: 1 }
  t.deepEqual(limited.when(change({ quota }), '06:00'), records(userChanged({ quota })))
  t.deepEqual(people.when(change({}), '06:00'), records())
  t.deepEqual(people.when(change({ quota: null, scope: '' }), '06:00'), records())
})

test('a change of some limits of a quota keeps the others, or takes them from the default', (t) => {
  const limited = given(...PEOPLE, at('05:10', userChanged({ quota: QUOTA })))
  const changed = userChanged({ quota: { ...QUOTA, reservations_max: 0 } })
  t.deepEqual(limited.when(change({ quota: { reservations_max: 0 } }), '06:00'), records(changed))
  t.deepEqual(limited.when(change({ quota: { reservations_max: 20 } }), '06:00'), records())
  const quotaDefault = { hours_per_week: 40, reservations_max: 7, priority_max: 0 }
  const quota = { ...quotaDefault, hours_per_week: null }
  const lift = { quota: { hours_per_week: null }, quotaDefault }
  t.deepEqual(people.when(change(lift), '06:00'), records(userChanged({ quota })))
  t.deepEqual(
    people.when(add({ quota: { hours_per_week: null }, quotaDefault }), '06:00'),
    records(userAdded({ _id: idOf(9), credentials: userCredentials(9), quota })),
  )
})

test('a new epoch is recorded as a change of nothing else, of users that are present', (t) => {
  const credentials = { id: idOf(8), changed: ['epoch'] as 'epoch'[] }
  const renew = change({ credentials })
  t.deepEqual(people.when(renew, '06:00'), records(userChanged({ credentials })))
  t.deepEqual(whyRefused(removed.when(renew, '06:00')), ['user_removed'])
})

test('a quota without limits changes nothing', (t) => {
  t.deepEqual(people.when(change({ quota: {} }), '06:00'), records())
  t.deepEqual(people.when(add({ quota: {} }), '06:00'), people.when(add(), '06:00'))
})

test('quotas and scopes are for testers', (t) => {
  const both = { quota: QUOTA, scope: 'rack=4' }
  const refused = ['invalid', 'invalid quota', 'invalid scope']
  t.deepEqual(whyRefused(people.when(change({ role: 'auditor', ...both }), '06:00')), refused)
  t.deepEqual(whyRefused(people.when(change({ _id: administrator._id, ...both }), '06:00')), refused)
  const auditor = given(...PEOPLE, at('05:10', userChanged({ role: 'auditor' })))
  t.deepEqual(
    auditor.when(change({ role: 'tester', ...both }), '06:00'),
    records(userChanged({ role: 'tester', ...both })),
  )
})

test('a change away from tester drops quota and scope without recording it', (t) => {
  const past = [...PEOPLE, at('05:10', userChanged({ quota: QUOTA, scope: 'rack=4' }))]
  const command = change({ role: 'auditor', quota: null, scope: '' })
  t.deepEqual(given(...past).when(command, '06:00'), records(userChanged({ role: 'auditor' })))
  const { state } = given(
    ...past,
    at('06:00', userChanged({ role: 'auditor' })),
    at('06:01', userChanged({ role: 'tester' })),
  )
  t.like(state.users[1], { _id: alice, role: 'tester', quota: null, scope: '' })
})

test('If-Match compares with the revision of the last event of the user, whatever happens to others', (t) => {
  const past = given(...PEOPLE, at('05:10', userChanged({ scope: 'rack=4' })), at('05:11', userRemoved(bob)))
  const command = { scope: '' }
  t.deepEqual(past.when(change({ ...command, ifMatch: [1, 3] }), '06:00'), records(userChanged(command)))
  const stale = past.when(change({ ...command, ifMatch: [1, 4] }), '06:00')
  t.is(refusal(stale).code, 'stale')
  t.regex(refusal(stale).detail, /"3"/)
})

const nobody = idOf(77)

test('nothing is done to a user that does not exist', (t) => {
  for (const command of [change({ _id: nobody, scope: 'a=b' }), remove(nobody), restore(nobody), erase(nobody)])
    t.deepEqual(whyRefused(people.when(command, '06:00')), ['user_not_found'])
})

test('a user is removed once, and then not changed', (t) => {
  t.deepEqual(people.when(remove(alice, 'cancel'), '06:00'), records(userRemoved(alice, 'cancel')))
  t.deepEqual(removed.when(remove(alice, 'cancel'), '06:00'), records())
  t.deepEqual(erased.when(remove(), '06:00'), records())
  for (const story of [removed, erased]) {
    t.deepEqual(whyRefused(story.when(change({ credentials: userCredentials(9, 'password') }), '06:00')), [
      'user_removed',
    ])
    t.deepEqual(whyRefused(story.when(change({ scope: '' }), '06:00')), ['user_removed'], 'even if nothing changes')
  }
})

test('a removed user is restored or erased, an erased one not restored', (t) => {
  t.deepEqual(removed.when(restore(), '06:00'), records(userRestored()))
  t.deepEqual(removed.when(erase(), '06:00'), records(userErased()))
  t.deepEqual(erased.when(erase(), '06:00'), records())
  t.deepEqual(whyRefused(erased.when(restore(), '06:00')), ['user_erased'])
  for (const command of [restore(), erase()])
    t.deepEqual(whyRefused(people.when(command, '06:00')), ['user_not_removed'])
})

test('a user restored is as before, with the same credentials', (t) => {
  const restored = given(...PEOPLE, at('05:10', userRemoved(alice, 'cancel')), at('05:11', userRestored()))
  const [before, after] = [people.state.users[1], restored.state.users[1]]
  t.deepEqual(after, { ...before, accessSince: 3, revision: 4, updated_at: '2030-05-02T05:11:00.000Z' } as typeof after)
  t.deepEqual(restored.when(remove(), '06:00'), records(userRemoved()))
})

test('a new password, a role that may not hold and a removal interrupt the access, and nothing else does', (t) => {
  const since = (event: Parameters<typeof at>[1]) => given(...PEOPLE, at('05:10', event)).state.users[1]?.accessSince
  const credentials = (...changed: Parameters<typeof userCredentials>[1][]) =>
    userChanged({ credentials: userCredentials(9, ...changed) })
  t.is(people.state.users[1]?.accessSince, 1)
  for (const event of [credentials('password'), userChanged({ role: 'auditor' }), userRemoved()]) t.is(since(event), 3)
  for (const data of [{ role: 'administrator' }, { quota: QUOTA }, { scope: 'rack=4' }] as const)
    t.is(since(userChanged(data)), 1, JSON.stringify(data))
  for (const event of [credentials('name'), userRemoved(bob)]) t.is(since(event), 1)
})

const OTHERS: readonly Role[] = ['tester', 'auditor']

test('the last administrator is neither removed nor given another role', (t) => {
  const { _id } = administrator
  t.deepEqual(whyRefused(people.when(remove(_id), '06:00')), ['last_administrator'])
  for (const role of OTHERS)
    t.deepEqual(whyRefused(people.when(change({ _id, role }), '06:00')), ['last_administrator'])
  t.deepEqual(people.when(change({ _id, role: 'administrator' }), '06:00'), records())
  const credentials = userCredentials(9, 'password')
  t.deepEqual(people.when(change({ _id, credentials }), '06:00'), records(userChanged({ _id, credentials })))
})

test('of two administrators, one may go', (t) => {
  const { _id } = administrator
  const promoted = at('05:10', userChanged({ role: 'administrator' }))
  const two = given(...PEOPLE, promoted)
  t.deepEqual(two.when(remove(_id), '06:00'), records(userRemoved(_id)))
  for (const role of OTHERS) t.deepEqual(two.when(change({ _id, role }), '06:00'), records(userChanged({ _id, role })))
  const left = given(...PEOPLE, promoted, at('05:11', userRemoved(_id)))
  t.deepEqual(whyRefused(left.when(remove(alice), '06:00')), ['last_administrator'])
  t.deepEqual(whyRefused(left.when(change({ role: 'tester' }), '06:00')), ['last_administrator'])
  const back = given(...PEOPLE, promoted, at('05:11', userRemoved(_id)), at('05:12', userRestored(_id)))
  t.deepEqual(back.when(remove(alice), '06:00'), records(userRemoved()))
})

test('an import without administrators is lawful, and its testers may go', (t) => {
  const testers = given(at('05:00', userAdded()))
  t.deepEqual(testers.when(remove(), '06:00'), records(userRemoved()))
})

test('the ids of current secrets follow their changes, and an erasure forgets them', (t) => {
  const password = at('05:10', userChanged({ credentials: userCredentials(9, 'password', 'epoch') }))
  const secretsAfter = (...past: readonly Past[]) => findUser(given(...PEOPLE, ...past).state, alice)?.secrets
  t.deepEqual(secretsAfter(), { epoch: ALICE_NAME, name: ALICE_NAME, password: ALICE_NAME })
  const changed = { epoch: idOf(9), name: ALICE_NAME, password: idOf(9) }
  t.deepEqual(secretsAfter(password), changed)
  t.deepEqual(secretsAfter(password, at('05:11', userRemoved()), at('05:12', userRestored())), changed)
  t.deepEqual(secretsAfter(password, at('05:11', userRemoved()), at('05:12', userErased())), {})
})

test('a state tells what a removal does with reservations', (t) => {
  const removalAfter = (...past: readonly Past[]) => findUser(given(...PEOPLE, ...past).state, bob)?.removal
  t.is(removalAfter(), null)
  t.is(removalAfter(at('05:10', userRemoved(bob, 'cancel'))), 'cancel')
  t.is(removalAfter(at('05:10', userRemoved(bob, 'cancel')), at('05:11', userErased(bob))), 'cancel')
  t.is(removalAfter(at('05:10', userRemoved(bob, 'cancel')), at('05:11', userRestored(bob))), null)
})
