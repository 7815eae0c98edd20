import test from 'ava'
import { isThorough, rounds } from '../../thorough.ts'
import { seedOf } from '../random.ts'
import { crashRounds } from './crash.ts'

test('killed under load again and again, the service loses and duplicates no acknowledged write', async (t) => {
  const seed = seedOf(process.env)
  const count = rounds(1, 6)
  const report = await crashRounds(t, { rounds: count, seed, replayEvery: 3 })
  t.log({ seed, ...report })
  t.deepEqual(report.problems, [])
  t.true(report.acknowledged > 10 * count && (!isThorough || (report.refused > 0 && report.unanswered > 0)))
})
