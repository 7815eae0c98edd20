import test from 'ava'
import { isThorough, rounds } from '../../thorough.ts'
import { seedOf } from '../random.ts'
import { crashRounds } from './crash.ts'

const ROUNDS = rounds(2, 10)

test('killed under load again and again, the service loses and duplicates no acknowledged write', async (t) => {
  const seed = seedOf(process.env)
  const report = await crashRounds(t, { rounds: ROUNDS, seed, replayEvery: 5 })
  t.log({ seed, ...report })
  t.deepEqual(report.problems, [])
  t.true(report.acknowledged > 10 * ROUNDS && (!isThorough || (report.refused > 0 && report.unanswered > 0)))
})
