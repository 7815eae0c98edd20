import test from 'ava'
import { seedOf } from '../../process/random.ts'
import { isThorough, rounds } from '../../thorough.ts'
import { brokenAdapters } from './conformance/broken-adapters.ts'
import { playSchedules } from './fault-schedules.ts'
import { FAULTS } from './faults.ts'
import { escapedErrors } from './service/outage.ts'

/** test/long.ts runs 1,000. */
const SCHEDULES = rounds(10, 100)

test.after.always('no error is unhandled', (t) => t.deepEqual(escapedErrors(), []))

test.serial(
  'random fault schedules lose no acknowledged write, cause no duplicate or overlap, and keep views equal to the log',
  async (t) => {
    t.timeout(180_000)
    const seed = seedOf(process.env)
    const { problems, ...counts } = await playSchedules({ seed, schedules: SCHEDULES })
    t.log(`seed ${seed}: ${JSON.stringify(counts)}`)
    t.deepEqual(problems, [], `SEED=${seed}`)
    t.is(counts.schedules, SCHEDULES)
    if (isThorough) t.deepEqual(Object.keys(counts.faults).toSorted(), Object.keys(FAULTS).toSorted())
    t.true(counts.made > SCHEDULES && counts.refused > SCHEDULES && counts.cancelled > SCHEDULES / 2)
  },
)

for (const [how, broken] of Object.entries(brokenAdapters)) {
  test(`control: an adapter that ${how} is detected`, async (t) => {
    t.timeout(180_000)
    const { problems, schedules } = await playSchedules({
      seed: 20_300_502,
      schedules: SCHEDULES,
      lanes: 1,
      problemsMax: 1,
      timeout: 3_000,
      ...broken,
    })
    t.log(`${schedules} schedules: ${problems[0]}`)
    t.true(problems.length > 0)
  })
}
