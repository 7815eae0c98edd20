import test from 'ava'
import { type Begun, beginning, dueAt, EVERYTHING } from '../../../src/web/data/reading.ts'

const NEVER: Begun = { last: Number.NEGATIVE_INFINITY, lastOfAll: Number.NEGATIVE_INFINITY, inARow: 0 }

/** The moments at which everything is read where it changes all the time, in seconds. */
const readUntil = (end: number): readonly number[] => {
  const times: number[] = []
  let begun = beginning({ ...EVERYTHING, isUrgent: true }, NEVER, 0)
  for (let now = dueAt(EVERYTHING, begun, () => true); now <= end; now = dueAt(EVERYTHING, begun, () => true)) {
    times.push(now / 1_000)
    begun = beginning(EVERYTHING, begun, now)
  }
  return times
}

test('everything is read again after ten seconds, and once a minute while it goes on changing', (t) => {
  t.deepEqual(readUntil(200_000), [10, 20, 30, 90, 150])
})

test('after a quiet minute everything is read at once, and again after ten seconds', (t) => {
  const busy: Begun = { last: 90_000, lastOfAll: 90_000, inARow: 4 }
  const begun = beginning(EVERYTHING, busy, 170_000)
  t.is(
    dueAt(EVERYTHING, begun, () => true),
    180_000,
  )
})

test('what the user asks for is read at once, and everything after ten seconds again', (t) => {
  const busy: Begun = { last: 90_000, lastOfAll: 90_000, inARow: 4 }
  const urgent = { ...EVERYTHING, isUrgent: true }
  t.is(
    dueAt(urgent, busy, () => true),
    0,
  )
  t.is(
    dueAt(EVERYTHING, beginning(urgent, busy, 95_000), () => true),
    105_000,
  )
})
