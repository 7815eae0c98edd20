import test from 'ava'
import { type ClockGuard, makeClockGuard } from '../../../src/commands/clock/guard.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const START = Date.parse('2030-05-02T06:00:00Z')

interface Machine {
  readonly guard: ClockGuard
  /** Time goes by, on the wall clock and since boot. */
  readonly pass: (milliseconds: number) => void
  /** Somebody sets the wall clock. */
  readonly step: (milliseconds: number) => void
  readonly isAhead: () => boolean
  readonly changes: (readonly [isAhead: boolean, gained: number | undefined])[]
}

/** A machine that was booted an hour ago; its service starts now, `sinceLast` after the log's last event. */
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
  test(`a clock that is set ${how} while the service runs ${isAhead ? 'is ahead' : 'is not ahead'}`, (t) => {
    const { step, pass, isAhead: judged } = aMachine()
    step(gained)
    t.is(judged(), isAhead)
    pass(DAY)
    t.is(judged(), isAhead, 'a day later')
  })
}

test('a clock that is back is right again', (t) => {
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

test('a machine that slept for a day is not ahead: the time since boot counts sleep', (t) => {
  const { pass, isAhead } = aMachine()
  pass(DAY)
  t.false(isAhead())
})

test('a machine that was paused, so that its time since boot stood still, is ahead until it is confirmed', (t) => {
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
  const when = past === undefined ? 'over an empty log' : `${past / DAY} days past the last event`
  test(`a service that starts ${when} is ${isAhead ? 'ahead' : 'not ahead'}`, (t) => {
    t.is(aMachine(past).isAhead(), isAhead)
  })
}

test('a service that started ahead is right when its clock is set back, and gains are measured from then', (t) => {
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

test('a service that started ahead goes on when it is confirmed', (t) => {
  const { guard, isAhead, changes } = aMachine(YEAR)
  guard.confirm()
  t.false(isAhead())
  t.deepEqual(changes, [
    [true, undefined],
    [false, 0],
  ])
})

test('a clock set back for an hour is the right one; one that visits the past and returns has gained nothing', (t) => {
  const visitor = aMachine()
  visitor.step(-YEAR)
  t.false(visitor.isAhead())
  visitor.pass(HOUR - SECOND)
  t.false(visitor.isAhead())
  visitor.step(YEAR)
  t.false(visitor.isAhead())
  const settled = aMachine()
  settled.step(-YEAR)
  t.false(settled.isAhead())
  settled.pass(HOUR)
  t.false(settled.isAhead())
  settled.step(YEAR)
  t.true(settled.isAhead())
})

test('between two looks a second apart the time since boot is not asked for', (t) => {
  let [wall, looks] = [START, 0]
  const guard = makeClockGuard({
    clock: () => wall,
    sinceBoot: () => {
      looks++
      return wall - START
    },
    lastRecorded: undefined,
    aheadMax: DAY,
    onChange: () => undefined,
  })
  for (let i = 0; i < 10_000; i++, wall++) guard.isAhead(wall)
  t.is(looks, 10)
})
