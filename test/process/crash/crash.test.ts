import test from 'ava'
import { seedOf } from '../random.ts'
import { crashRounds } from './crash.ts'

test('killed under load ten times, the service loses and duplicates no acknowledged write', async (t) => {
  const seed = seedOf(process.env)
  const report = await crashRounds(t, { rounds: 10, seed, replayEvery: 5 })
  t.log({ seed, ...report })
  t.deepEqual(report.problems, [])
  t.true(report.acknowledged > 100 && report.refused > 0 && report.unanswered > 0)
})
