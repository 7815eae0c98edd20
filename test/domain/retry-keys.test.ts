import test from 'ava'
import type { KnownKey } from '../../src/domain/decider.ts'
import { sutDecider } from '../../src/domain/sut/decide.ts'
import { idOf, reservationCancelled, reservationCreated, SUT_ID, sutCreated, sutUpdated } from './builders.ts'
import { at, stories } from './given-when-then.ts'

const { given } = stories(sutDecider)
const key = (n: number): string => `${`${n}`.padStart(22, 'k')}.${'r'.repeat(22)}`
const named = ({ state }: { state: { keys: readonly KnownKey[] } }) => state.keys.map((known) => known.key)

test('a command that came with a retry key is known by it, with its object and whether it made that', (t) => {
  const story = given(
    at('05:00', sutCreated(), { key: key(1) }),
    at('05:01', sutUpdated({ name: 'new name' })),
    at('05:02', reservationCreated(idOf(1), '06:00', '07:00'), { key: key(2) }),
    at('05:03', reservationCancelled(idOf(1)), { key: key(3) }),
  )
  const time = Date.parse('2030-05-02T05:00:00Z')
  t.deepEqual(story.state.keys, [
    { key: key(1), revision: 0, _id: SUT_ID, time, created: true },
    { key: key(2), revision: 2, _id: idOf(1), time: time + 120_000, created: true },
    { key: key(3), revision: 3, _id: idOf(1), time: time + 180_000, created: false },
  ])
})

test('a retry key is known for a day', (t) => {
  const first = at('05:00', sutCreated(), { key: key(1) })
  const later = (time: string) => given(first, at(time, sutUpdated({ name: 'new name' }), { key: key(2) }))
  t.deepEqual(named(later('2030-05-03T04:59:59.999Z')), [key(1), key(2)])
  t.deepEqual(named(later('2030-05-03T05:00:00.000Z')), [key(2)])
})

test('a command of several events is known by the last of them', (t) => {
  const story = given(
    at('05:00', sutCreated(), { key: key(1) }),
    at('05:00', sutUpdated({ name: 'new name' }), { key: key(1) }),
  )
  t.deepEqual(
    story.state.keys.map(({ revision }) => revision),
    [1],
  )
})

test('events without a retry key leave the known ones as they are', (t) => {
  const story = given(at('05:00', sutCreated(), { key: key(1) }), at('05:01', sutUpdated({ name: 'new name' })))
  t.deepEqual(named(story), [key(1)])
})
