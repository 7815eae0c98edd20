import test from 'ava'
import type { AddUsers, NewUser } from '../../../src/domain/user/add-users.ts'
import { userDecider } from '../../../src/domain/user/decide.ts'
import { QUOTA_DEFAULT } from '../../../src/domain/user/quota.ts'
import { alice, idOf, userAdded, userCredentials, userRemoved } from '../builders.ts'
import { at, records, refusal, stories, whyRefused } from '../given-when-then.ts'
import { claimOf, PEOPLE } from './people.ts'

const { given } = stories(userDecider)
const people = given(...PEOPLE)

const newUser = (n: number, folded: string, more: Partial<NewUser> = {}): NewUser => ({
  ...{ _id: idOf(n), role: 'tester', credentials: userCredentials(n), folded },
  ...more,
})
const addUsers = (users: readonly NewUser[], known = claimOf('').known): AddUsers => ({
  ...{ type: 'AddUsers', users, known, quotaDefault: QUOTA_DEFAULT },
})
const added = (n: number, more: object = {}) => userAdded({ _id: idOf(n), credentials: userCredentials(n), ...more })

test('all users are added at once, each with its role, quota and scope', (t) => {
  const users = [
    newUser(8, 'carol', { quota: { hours_per_week: 40 }, scope: 'rack=4' }),
    newUser(9, 'dave', { role: 'auditor' }),
  ]
  const quota = { ...QUOTA_DEFAULT, hours_per_week: 40 }
  t.deepEqual(
    people.when(addUsers(users), '06:00'),
    records(added(8, { quota, scope: 'rack=4' }), added(9, { role: 'auditor' })),
  )
})

test('one name that is taken refuses all, and every such name is listed', (t) => {
  const decision = people.when(
    addUsers([newUser(7, 'alice'), newUser(8, 'carol'), newUser(9, 'carol'), newUser(10, 'dave')]),
    '06:00',
  )
  t.deepEqual(whyRefused(decision), ['user_name_taken', 'invalid users 0 name', 'invalid users 2 name'])
  t.regex(refusal(decision).detail, /^Other users have 2 of the names/)
})

test('the name of a removed user is free', (t) => {
  const removed = given(...PEOPLE, at('05:10', userRemoved()))
  t.deepEqual(removed.when(addUsers([newUser(9, 'alice')]), '06:00'), records(added(9)))
})

test('quotas and scopes of others than testers are refused with their places', (t) => {
  const wrong = newUser(9, 'carol', { role: 'auditor', quota: {}, scope: 'a=b' })
  t.deepEqual(whyRefused(people.when(addUsers([newUser(8, 'dave'), wrong]), '06:00')), [
    ...['invalid', 'invalid users 1 quota', 'invalid users 1 scope'],
  ])
})

test('without the names of all users nobody is added', (t) => {
  t.deepEqual(whyRefused(people.when(addUsers([newUser(9, 'carol')], new Map()), '06:00')), ['unavailable'])
})

test('one id that another user has or had refuses all, and every such id is listed', (t) => {
  const removed = given(...PEOPLE, at('05:10', userRemoved()))
  const { data } = userRemoved()
  const rows = [newUser(7, 'carol', { _id: data._id }), newUser(8, 'dave'), newUser(8, 'erin'), newUser(9, 'f')]
  const reserved = newUser(10, 'g', { _id: 'me' })
  t.deepEqual(whyRefused(removed.when(addUsers([...rows, reserved]), '06:00')), [
    ...['user_id_taken', 'invalid users 0 _id', 'invalid users 2 _id', 'invalid users 4 _id'],
  ])
})

test('problems of several kinds are listed together, in the order of the rows', (t) => {
  const rows = [
    newUser(7, 'alice'),
    newUser(8, 'dave', { _id: alice }),
    newUser(9, 'erin', { role: 'auditor', quota: {} }),
  ]
  t.deepEqual(whyRefused(people.when(addUsers(rows), '06:00')), [
    ...['invalid', 'invalid users 0 name', 'invalid users 1 _id', 'invalid users 2 quota'],
  ])
})
