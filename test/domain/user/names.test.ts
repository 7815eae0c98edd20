import test from 'ava'
import type { AddUsers, NewUser } from '../../../src/domain/user/add-users.ts'
import { userDecider } from '../../../src/domain/user/decide.ts'
import { QUOTA_DEFAULT } from '../../../src/domain/user/quota.ts'
import { alice, bob, idOf, userAdded, userChanged, userCredentials, userErased, userRemoved } from '../builders.ts'
import { at, records, refusal, stories, whyRefused } from '../given-when-then.ts'
import { ADMIN, ALICE, add, BOB_NAME, change, claimOf, PEOPLE, QUOTA, restore } from './people.ts'

const { given } = stories(userDecider)

test('a user is added with only what it has', (t) => {
  const data = { _id: idOf(9), credentials: userCredentials(9) } as const
  t.deepEqual(given().when(add({ claim: claimOf('carol') }), '06:00'), records(userAdded({ ...data })))
  t.deepEqual(
    given(...PEOPLE).when(add({ quota: QUOTA, scope: 'rack=4' }), '06:00'),
    records(userAdded({ ...data, quota: QUOTA, scope: 'rack=4' })),
  )
  t.deepEqual(given(...PEOPLE).when(add({ quota: null, scope: '' }), '06:00'), records(userAdded({ ...data })))
  const auditor = add({ role: 'auditor', quota: null, scope: '' })
  t.deepEqual(given(...PEOPLE).when(auditor, '06:00'), records(userAdded({ ...data, role: 'auditor' })))
})

test('only testers are added with a quota or a scope', (t) => {
  for (const role of ['administrator', 'auditor'] as const) {
    const refused = given(...PEOPLE).when(add({ role, quota: QUOTA, scope: 'rack=4' }), '06:00')
    t.deepEqual(whyRefused(refused), ['invalid', 'invalid quota', 'invalid scope'])
  }
})

test('an id is given once, even if its user was erased', (t) => {
  const again = add({ _id: alice })
  t.deepEqual(whyRefused(given(...PEOPLE).when(again, '06:00')), ['user_id_taken'])
  const gone = [...PEOPLE, at('05:10', userRemoved())]
  t.deepEqual(whyRefused(given(...gone).when(again, '06:00')), ['user_id_taken'])
  t.deepEqual(whyRefused(given(...gone, at('05:11', userErased())).when(again, '06:00')), ['user_id_taken'])
})

test('a name is refused while another user that has not been removed has it', (t) => {
  const taken = claimOf('bob')
  t.deepEqual(whyRefused(given(...PEOPLE).when(add({ claim: taken }), '06:00')), ['user_name_taken'])
  const renaming = change({ credentials: userCredentials(9, 'name'), claim: taken })
  t.deepEqual(whyRefused(given(...PEOPLE).when(renaming, '06:00')), ['user_name_taken'])
  const free = given(...PEOPLE, at('05:10', userRemoved(bob)))
  t.deepEqual(free.when(renaming, '06:00'), records(userChanged({ credentials: userCredentials(9, 'name') })))
  const renamed = given(...PEOPLE, at('05:10', userChanged({ _id: bob, credentials: userCredentials(7, 'name') })))
  const claim = claimOf('bob', [idOf(7), 'robert'])
  t.deepEqual(
    renamed.when(add({ claim }), '06:00'),
    records(userAdded({ _id: idOf(9), credentials: userCredentials(9) })),
  )
  t.deepEqual(whyRefused(renamed.when(add({ claim: { ...claim, folded: 'robert' } }), '06:00')), ['user_name_taken'])
})

test('a claim that does not know a name is refused as unavailable until it does', (t) => {
  const unknown = claimOf('carol')
  const joined = given(...PEOPLE, at('05:10', userAdded({ _id: idOf(8), credentials: userCredentials(8) })))
  t.deepEqual(whyRefused(joined.when(add({ claim: unknown }), '06:00')), ['unavailable'])
  const known = claimOf('carol', [idOf(8), 'dave'])
  t.deepEqual(
    joined.when(add({ claim: known }), '06:00'),
    records(userAdded({ _id: idOf(9), credentials: userCredentials(9) })),
  )
  const found = claimOf('dave', [idOf(8), 'dave'])
  t.deepEqual(whyRefused(joined.when(add({ claim: found }), '06:00')), ['user_name_taken'])
  t.deepEqual(
    whyRefused(joined.when(add({ claim: claimOf('bob') }), '06:00')),
    ['user_name_taken'],
    'known to be taken',
  )
})

test('a claim need not know the names of removed users, nor of the user itself', (t) => {
  const { known } = claimOf('')
  const withoutBob = { folded: 'carol', known: new Map([...known].filter(([id]) => id !== BOB_NAME)) }
  t.deepEqual(whyRefused(given(...PEOPLE).when(add({ claim: withoutBob }), '06:00')), ['unavailable'])
  const removed = given(...PEOPLE, at('05:10', userRemoved(bob)))
  t.deepEqual(
    removed.when(add({ claim: withoutBob }), '06:00'),
    records(userAdded({ _id: idOf(9), credentials: userCredentials(9) })),
  )
  const credentials = userCredentials(9, 'name')
  t.deepEqual(
    given(...PEOPLE).when(change({ _id: bob, credentials, claim: withoutBob }), '06:00'),
    records(userChanged({ _id: bob, credentials })),
  )
})

test('a user whose name was given to another one meanwhile is not restored', (t) => {
  const past = [
    ADMIN,
    ALICE,
    at('05:10', userRemoved()),
    at('05:11', userAdded({ _id: bob, credentials: userCredentials(8) })),
  ]
  const claim = claimOf('alice', [idOf(8), 'alice'])
  t.deepEqual(whyRefused(given(...past).when(restore(alice, claim), '06:00')), ['user_name_taken'])
  t.deepEqual(whyRefused(given(...past).when(restore(alice, claimOf('alice')), '06:00')), ['unavailable'])
})

test('a password is changed without a claim', (t) => {
  const credentials = userCredentials(9, 'password', 'epoch')
  t.deepEqual(given(...PEOPLE).when(change({ credentials }), '06:00'), records(userChanged({ credentials })))
})

const IDENTITY = '["https://login.lab.example","4711"]'
const credentials = userCredentials(9, 'epoch', 'identity', 'name')
const known = new Map([[idOf(8), IDENTITY]])
const signOn = (identity = IDENTITY, identities: ReadonlyMap<string, string> = known) =>
  add({ credentials, identity: { identity, known: identities } })

const SIGNED_ON = at('05:10', userAdded({ _id: bob, credentials: userCredentials(8, 'epoch', 'identity', 'name') }))
const BEFORE = PEOPLE.slice(0, 2)
const claim = claimOf('carol', [idOf(8), 'bob'])

test('a user with an identity is added if no user has it', (t) => {
  const added = records(userAdded({ _id: idOf(9), credentials }))
  t.deepEqual(given(...PEOPLE).when(signOn(), '06:00'), added)
  const other = add({ credentials, claim, identity: { identity: 'another', known } })
  t.deepEqual(given(...BEFORE, SIGNED_ON).when(other, '06:00'), added)
})

test('nobody is added whose identity a user has, not even one with a name that is taken', (t) => {
  const story = given(...BEFORE, SIGNED_ON)
  t.deepEqual(story.when(signOn(), '06:00'), records())
  const taken = add({ credentials, claim: claimOf('alice'), identity: { identity: IDENTITY, known } })
  t.deepEqual(story.when(taken, '06:00'), records())
  const removed = given(...BEFORE, SIGNED_ON, at('05:20', userRemoved(bob)))
  t.deepEqual(removed.when(signOn(), '06:00'), records())
})

test("the identity of an erased user is nobody's any more", (t) => {
  const erased = given(...BEFORE, SIGNED_ON, at('05:20', userRemoved(bob)), at('05:21', userErased(bob)))
  t.deepEqual(erased.when(signOn(), '06:00'), records(userAdded({ _id: idOf(9), credentials })))
})

test('a claim that does not know an identity is refused as unavailable until it does', (t) => {
  const story = given(...BEFORE, SIGNED_ON)
  t.deepEqual(whyRefused(story.when(signOn(IDENTITY, new Map()), '06:00')), ['unavailable'])
  const removed = given(...BEFORE, SIGNED_ON, at('05:20', userRemoved(bob)))
  t.deepEqual(whyRefused(removed.when(signOn(IDENTITY, new Map()), '06:00')), ['unavailable'])
})

const PEOPLE_STORY = given(...PEOPLE)

const newUser = (n: number, folded: string, more: Partial<NewUser> = {}): NewUser => ({
  ...{ _id: idOf(n), role: 'tester', credentials: userCredentials(n), folded },
  ...more,
})
const addUsers = (users: readonly NewUser[], known = claimOf('').known): AddUsers => ({
  ...{ type: 'AddUsers', users, known, quotaDefault: QUOTA_DEFAULT, isList: true },
})
const added = (n: number, more: object = {}) => userAdded({ _id: idOf(n), credentials: userCredentials(n), ...more })

test('all users are added at once, each with its role, quota and scope', (t) => {
  const users = [
    newUser(8, 'carol', { quota: { hours_per_week: 40 }, scope: 'rack=4' }),
    newUser(9, 'dave', { role: 'auditor' }),
  ]
  const quota = { ...QUOTA_DEFAULT, hours_per_week: 40 }
  t.deepEqual(
    PEOPLE_STORY.when(addUsers(users), '06:00'),
    records(added(8, { quota, scope: 'rack=4' }), added(9, { role: 'auditor' })),
  )
})

test('one name that is taken refuses all, and every such name is listed', (t) => {
  const decision = PEOPLE_STORY.when(
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
  t.deepEqual(whyRefused(PEOPLE_STORY.when(addUsers([newUser(8, 'dave'), wrong]), '06:00')), [
    ...['invalid', 'invalid users 1 quota', 'invalid users 1 scope'],
  ])
})

test('without the names of all users nobody is added', (t) => {
  t.deepEqual(whyRefused(PEOPLE_STORY.when(addUsers([newUser(9, 'carol')], new Map()), '06:00')), ['unavailable'])
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
  t.deepEqual(whyRefused(PEOPLE_STORY.when(addUsers(rows), '06:00')), [
    ...['invalid', 'invalid users 0 name', 'invalid users 1 _id', 'invalid users 2 quota'],
  ])
})
