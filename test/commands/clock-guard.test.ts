import test from 'ava'
import { type ClockGuard, makeClockGuard } from '../../src/commands/clock-guard.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const START = Date.parse('2030-05-02T06:00:00Z')

interface Machine {
  readonly guard: ClockGuard
  /** Advances the wall clock and the time since boot. */
  readonly pass: (milliseconds: number) => void
  /** Sets the wall clock forward or back. */
  readonly step: (milliseconds: number) => void
  readonly isAhead: () => boolean
  readonly changes: (readonly [isAhead: boolean, gained: number | undefined])[]
}

/** A machine booted an hour ago; its service starts now, `sinceLast` after the last event in the log. */
const aMachine = (sinceLast: number | undefined = 0): Machine => {
  let [wall, boot] = [START, HOUR]
  const changes: Machine['changes'] = []
  const guard = makeClockGuard({
    clock: () => wall,
    sinceBoot: () => boot,
    lastRecorded: sinceLast === undefined ? undefined : START - sinceLast,
    aheadMax: 30 * DAY,
    onChange: (...change) => changes.push(change),
  })
  guard.isAhead(wall)
  return {
    guard,
    pass: (milliseconds) => {
      wall += milliseconds
      boot += milliseconds
    },
    step: (milliseconds) => {
      wall += milliseconds
    },
    isAhead: () => guard.isAhead(wall),
    changes,
  }
}

for (const [how, gained, isAhead] of [
  ['back by a year', -YEAR, false],
  ['back by an hour', -HOUR, false],
  ['back by a second', -SECOND, false],
  ['ahead by a leap second', SECOND, false],
  ['ahead by an hour', HOUR, false],
  ['ahead by more than an hour', HOUR + SECOND, true],
  ['ahead by a year', YEAR, true],
] as const) {
  test(`a clock set ${how} while the service runs ${isAhead ? 'is ahead' : 'is not ahead'}`, (t) => {
    const { step, pass, isAhead: judged } = aMachine()
    step(gained)
    t.is(judged(), isAhead)
    pass(DAY)
    t.is(judged(), isAhead, 'a day later')
  })
}

test('a clock set back to the right time is no longer ahead', (t) => {
  const { step, pass, isAhead, changes } = aMachine()
  step(YEAR)
  t.true(isAhead())
  pass(60 * SECOND)
  step(-YEAR)
  t.false(isAhead())
  t.deepEqual(changes, [
    [true, YEAR],
    [false, 0],
  ])
})

test('a machine that slept for a day is not ahead, because time since boot includes sleep', (t) => {
  const { pass, isAhead } = aMachine()
  pass(DAY)
  t.false(isAhead())
})

test('a machine whose time since boot was paused is ahead until its clock is confirmed', (t) => {
  const { step, guard, isAhead } = aMachine()
  step(DAY)
  t.true(isAhead())
  guard.confirm()
  t.false(isAhead())
  step(HOUR + SECOND)
  t.true(isAhead(), 'gains are measured from the confirmation')
})

for (const [past, isAhead] of [
  [30 * DAY, false],
  [30 * DAY + SECOND, true],
  [-DAY, false],
  [undefined, false],
] as const) {
  const when = past === undefined ? 'on an empty log' : `${past / DAY} days after the last event`
  test(`a service that starts ${when} is ${isAhead ? 'ahead' : 'not ahead'}`, (t) => {
    t.is(aMachine(past).isAhead(), isAhead)
  })
}

test('setting back the clock of a service that started ahead restarts the measurement of gains', (t) => {
  const { step, isAhead, changes } = aMachine(YEAR)
  t.true(isAhead())
  step(-YEAR)
  t.false(isAhead())
  step(2 * HOUR)
  t.true(isAhead())
  t.deepEqual(changes, [
    [true, undefined],
    [false, 0],
    [true, 2 * HOUR],
  ])
})

test('a clock set back for an hour becomes the reference; one set back for less does not', (t) => {
  const brief = aMachine()
  brief.step(-YEAR)
  t.false(brief.isAhead())
  brief.pass(HOUR - SECOND)
  t.false(brief.isAhead())
  brief.step(YEAR)
  t.false(brief.isAhead())
  const settled = aMachine()
  settled.step(-YEAR)
  t.false(settled.isAhead())
  settled.pass(HOUR)
  t.false(settled.isAhead())
  settled.step(YEAR)
  t.true(settled.isAhead())
})
