import test from 'ava'
import { makeSinceBoot } from '../../../src/processes/clock.ts'

/** A machine that runs, sleeps and has its clock set. All times are in milliseconds. */
const aMachine = () => {
  let [booted, awake, wall, readings] = [5_000, 100, Date.parse('2030-05-02T06:00:00Z'), 0]
  const sinceBoot = makeSinceBoot({
    uptime: () => {
      readings++
      return booted / 1_000
    },
    monotonic: () => awake,
    wall: () => wall,
  })
  const runs = (time: number): void => {
    booted += time
    awake += time
    wall += time
  }
  const sleeps = (time: number): void => {
    booted += time
    wall += time
  }
  const isSet = (by: number): void => {
    wall += by
  }
  return { sinceBoot, runs, sleeps, isSet, booted: () => booted, readings: () => readings }
}

test('the time since boot is read once a second, and goes on in between', (t) => {
  const machine = aMachine()
  for (let n = 0; n < 1_000; n++) {
    t.is(machine.sinceBoot(), machine.booted())
    machine.runs(5)
  }
  t.is(machine.readings(), 5)
})

test('sleep counts at once', (t) => {
  const machine = aMachine()
  machine.sinceBoot()
  machine.runs(100)
  machine.sleeps(400)
  t.is(machine.sinceBoot(), machine.booted())
})

test('a clock that is set, forward or back, does not matter', (t) => {
  const machine = aMachine()
  machine.sinceBoot()
  for (const by of [3_600_000, -7_200_000]) {
    machine.isSet(by)
    machine.runs(100)
    t.is(machine.sinceBoot(), machine.booted())
  }
})

test('it is in whole milliseconds, although the machine counts parts of them', (t) => {
  const machine = aMachine()
  machine.runs(100.4)
  t.is(machine.sinceBoot(), 5_100)
})
