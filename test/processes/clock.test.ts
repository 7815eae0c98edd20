import test from 'ava'
import { makeProcessClock } from '../../src/processes/clock.ts'

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]
const BEGIN = Date.parse('2030-05-02T06:00:00Z')

/** A machine whose wall clock can be set. */
const machine = ({ lastRecorded = BEGIN as number | undefined } = {}) => {
  let [wall, boot] = [BEGIN, 500 * SECOND]
  const changes: string[] = []
  const clock = makeProcessClock({
    clock: () => wall,
    sinceBoot: () => boot,
    lastRecorded,
    onChange: (isHeld, by) => changes.push(`${isHeld ? 'held' : 'trusted'} ${by / SECOND}`),
  })
  return {
    ...clock,
    changes,
    pass: (milliseconds: number) => {
      for (let left = milliseconds; left > 0; left -= SECOND) {
        const step = Math.min(left, SECOND)
        wall += step
        boot += step
        clock.mayAct()
      }
    },
    step: (milliseconds: number) => {
      wall += milliseconds
    },
  }
}

test('passing time and the small steps of a synchronised clock are trusted', (t) => {
  const { pass, step, mayAct, mayRecord, changes } = machine()
  for (let n = 0; n < 50; n++) {
    pass(10 * SECOND)
    step(n % 2 === 0 ? 900 : -900)
    t.true(mayAct() && mayRecord())
  }
  t.deepEqual(changes, [])
})

for (const sign of [1, -1]) {
  const way = sign === 1 ? 'ahead' : 'back'
  test(`a step ${way} of more than a minute is trusted once it has held for five minutes`, (t) => {
    const { pass, step, mayAct, mayRecord, changes } = machine()
    step(sign * 61 * SECOND)
    t.false(mayAct() || mayRecord())
    pass(5 * MINUTE - SECOND)
    t.false(mayAct() || mayRecord())
    pass(2 * SECOND)
    t.true(mayAct() && mayRecord())
    t.deepEqual(changes, [`held ${sign * 61}`, `trusted ${sign * 61}`])
  })

  test(`a step ${way} of more than an hour is trusted only once it is confirmed`, (t) => {
    const { pass, step, mayAct, confirm } = machine()
    step(sign * (HOUR + SECOND))
    pass(DAY / 24)
    t.false(mayAct())
    confirm()
    t.true(mayAct())
  })

  test(`a clock that is back after a step ${way} is trusted at once`, (t) => {
    const { pass, step, mayAct, mayRecord } = machine()
    step(sign * 2 * HOUR)
    t.false(mayAct())
    pass(10 * SECOND)
    step(-sign * 2 * HOUR)
    t.true(mayAct() && mayRecord())
  })
}

test('a clock that keeps jumping is not trusted five minutes after the first jump', (t) => {
  const { pass, step, mayAct } = machine()
  for (let n = 1; n <= 4; n++) {
    step(2 * MINUTE)
    pass(3 * MINUTE)
    t.false(mayAct(), `jump ${n}`)
  }
  pass(3 * MINUTE)
  t.true(mayAct())
})

test('a start long after the last event follows the clock, but records nothing for five minutes', (t) => {
  const { pass, mayAct, mayRecord } = machine({ lastRecorded: BEGIN - DAY - 1 })
  t.true(mayAct())
  t.false(mayRecord())
  pass(5 * MINUTE)
  t.true(mayRecord())
  t.true(machine({ lastRecorded: BEGIN - DAY }).mayRecord(), 'a day is not long')
  t.true(machine({ lastRecorded: undefined }).mayRecord(), 'a new log has no last event')
})

test('a clock that comes back to the last event after such a start is trusted at once', (t) => {
  const { pass, step, mayAct, mayRecord, changes } = machine({ lastRecorded: BEGIN - 3 * DAY })
  pass(MINUTE)
  t.false(mayRecord())
  step(-3 * DAY + HOUR)
  t.true(mayAct() && mayRecord())
  t.deepEqual(changes, [])
})

test('a clock that goes elsewhere after such a start is not trusted', (t) => {
  for (const by of [-3 * DAY - 2 * MINUTE, -2 * DAY + MINUTE, -2 * HOUR, 2 * HOUR]) {
    const { pass, step, mayAct } = machine({ lastRecorded: BEGIN - 3 * DAY })
    pass(MINUTE)
    step(by - MINUTE)
    t.false(mayAct(), `${by}`)
  }
})

test('once it records, a clock that steps back to the last event waits like any other', (t) => {
  const { pass, step, mayAct } = machine({ lastRecorded: BEGIN - 3 * DAY })
  pass(6 * MINUTE)
  step(-3 * DAY)
  t.false(mayAct())
})
