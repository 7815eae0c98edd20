import test from 'ava'
import { userDecider } from '../../../src/domain/user/decide.ts'
import { alice, bob, idOf, userAdded, userChanged, userCredentials, userErased, userRemoved } from '../builders.ts'
import { at, records, stories, whyRefused } from '../given-when-then.ts'
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

test('a user may be given the name that it has, in another spelling', (t) => {
  const credentials = userCredentials(9, 'name')
  t.deepEqual(
    given(...PEOPLE).when(change({ credentials, claim: claimOf('alice') }), '06:00'),
    records(userChanged({ credentials })),
  )
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
