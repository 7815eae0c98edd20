import test from 'ava'
import fc from 'fast-check'
import type { DataOf, Event, Recorded } from '../../../src/domain/event.ts'
import { findRecord } from '../../../src/domain/idempotency-records.ts'
import { userDecider } from '../../../src/domain/user/decide.ts'
import { findUser } from '../../../src/domain/user/state.ts'
import { arbitraryData } from '../arbitrary-events.ts'
import {
  alice,
  bob,
  clock,
  idOf,
  userAdded,
  userChanged,
  userCredentials,
  userErased,
  userRemoved,
  userRestored,
} from '../builders.ts'
import { at, type Past, recordedAt, stories } from '../given-when-then.ts'
import { ALICE_NAME, PEOPLE } from './people.ts'

const { given } = stories(userDecider)
const key = (n: number, request = 'r'): string => `${`${n}k`.padEnd(22, 'k')}.${request.repeat(22)}`

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

test('a repeated idempotency key finds the revision and whether the user was added', (t) => {
  const { state } = given(
    at('05:00', userAdded(), { key: key(1) }),
    at('05:01', userChanged({ scope: 'rack=4' }), { key: key(2) }),
    at('05:02', userRemoved(), { key: key(3) }),
    at('05:03', userRestored()),
  )
  t.deepEqual(findRecord(state.keys, key(1)), { revision: 0, _id: alice, created: true })
  t.deepEqual(findRecord(state.keys, key(2)), { revision: 1, _id: alice, created: false })
  t.deepEqual(findRecord(state.keys, key(3)), { revision: 2, _id: alice, created: false })
  t.is(findRecord(state.keys, key(1, 's')), 'reused')
  t.is(findRecord(state.keys, key(4)), undefined)
})

const TYPES = ['UserAdded', 'UserChanged', 'UserRemoved', 'UserRestored', 'UserErased'] as const
const IDS = [alice, bob, 'Zoë 😀']
const arbitraryLog = (): fc.Arbitrary<readonly Recorded[]> => {
  const one = fc.constantFrom(...TYPES).chain((type) =>
    fc.record({
      event: (arbitraryData[type] as fc.Arbitrary<DataOf<typeof type>>).chain((data) =>
        fc.constantFrom(...IDS).map((_id) => ({ type, data: { ...data, _id } }) as Event),
      ),
      keyed: fc.boolean(),
    }),
  )
  return fc
    .array(one, { maxLength: 30 })
    .map((all) =>
      all.map(({ event, keyed }, n) =>
        recordedAt(n, { time: clock('05:00') + n * 3_600_000, event, more: keyed ? { key: key(n) } : {} }),
      ),
    )
}

test('property: folding continues from a saved state as from the original', (t) => {
  let most = 0
  const property = fc.property(arbitraryLog(), fc.nat(), (log, n) => {
    const whole = log.reduce(userDecider.evolve, userDecider.initial)
    const split = n % (log.length + 1)
    const state = log.slice(0, split).reduce(userDecider.evolve, userDecider.initial)
    const saved = JSON.parse(JSON.stringify(state))
    t.deepEqual(saved, state)
    t.deepEqual(log.slice(split).reduce(userDecider.evolve, saved), whole)
    most = Math.max(most, whole.users.length)
  })
  fc.assert(property)
  t.true(most > 1)
})

test('property: no state has a quota or a scope of a role other than tester, whatever is recorded', (t) => {
  const property = fc.property(arbitraryLog(), (log) => {
    for (const { role, quota, scope } of log.reduce(userDecider.evolve, userDecider.initial).users) {
      if (role !== 'tester') t.deepEqual([quota, scope], [null, ''])
    }
  })
  fc.assert(property)
})
