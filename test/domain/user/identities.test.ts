import test from 'ava'
import { userDecider } from '../../../src/domain/user/decide.ts'
import { bob, idOf, userAdded, userCredentials, userErased, userRemoved } from '../builders.ts'
import { at, records, stories, whyRefused } from '../given-when-then.ts'
import { add, claimOf, PEOPLE } from './people.ts'

const { given } = stories(userDecider)

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
