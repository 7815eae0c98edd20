/** The queue against a model that shares no code with it. */

import test from 'ava'
import { rounds } from '../../thorough.ts'
import { playDay } from './day.ts'
import { playHistories } from './stories.ts'

const SEED = 20_300

test('random histories of requests, with crashes and two instances, obey the model of fairness', async (t) => {
  const { problems, counts } = await playHistories({ stories: rounds(4, 200), seed: SEED })
  t.deepEqual(problems, [])
  t.true((counts.granted ?? 0) > 2)
})

test('in an hour of 64 pipelines over 8 machines none is idle while a request that fits waits', async (t) => {
  const { problems, counts, waited } = await playDay(t, { seed: SEED, hours: 1 })
  t.deepEqual(problems, [])
  t.log({ ...counts, ...waited })
  t.true((counts.granted ?? 0) > 20)
})
