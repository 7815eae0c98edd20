import test from 'ava'
import { seedOf } from '../../process/random.ts'
import { killRounds } from './kills.ts'

for (const [instances, who] of [
  [1, 'a service'],
  [2, 'two instances over one EventStoreDB'],
] as const)
  test(`${who} killed again and again closes each session once and records each start and end once`, async (t) => {
    t.timeout(240_000)
    const seed = seedOf(process.env)
    const { counts, problems } = await killRounds(t, { instances, rounds: 6, seed })
    t.log({ seed, ...counts })
    t.deepEqual(problems, [])
    t.true(counts.sessions > 1)
  })
