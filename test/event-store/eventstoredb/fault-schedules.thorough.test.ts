import test from 'ava'
import { seedOf } from '../../process/random.ts'
import { isThorough, rounds } from '../../thorough.ts'
import { playSchedules } from './fault-schedules.ts'
import { FAULTS } from './faults.ts'
import { escapedErrors } from './service/outage.ts'

test.after.always('no error is unhandled', (t) => t.deepEqual(escapedErrors(), []))

test.serial(
  'random fault schedules lose no acknowledged write, cause no duplicate or overlap, and keep views equal to the log',
  async (t) => {
    t.timeout(240_000)
    const seed = seedOf(process.env)
    const faults = new Set<string>()
    // test/long.ts runs 1,000. A part at a time, so that a busy machine is not taken for one that hangs.
    for (let part = 0; part < rounds(1, 5); part++) {
      const schedules = rounds(4, 20)
      const { problems, ...counts } = await playSchedules({ seed: seed + part, schedules })
      t.log(`seed ${seed + part}: ${JSON.stringify(counts)}`)
      t.deepEqual(problems, [], `SEED=${seed + part}`)
      t.is(counts.schedules, schedules)
      t.true(counts.acknowledged > schedules && counts.conflicts > schedules)
      for (const fault of Object.keys(counts.faults)) faults.add(fault)
    }
    if (isThorough) t.deepEqual([...faults].toSorted(), Object.keys(FAULTS).toSorted())
  },
)
