import test, { type ExecutionContext } from 'ava'
import { makeRandom } from '../../process/random.ts'
import { rounds } from '../../thorough.ts'
import { playDay } from './day.ts'
import { judge } from './judge.ts'
import type { LoggedEvent } from './lab-model.ts'
import { openQueueLab } from './queue-lab.ts'
import { playHistories } from './stories.ts'

/** The queue against a model that shares no code with it. */

const SEED = 20_300

test('random histories of requests, with crashes and two instances, obey the model of fairness', async (t) => {
  const { problems, counts } = await playHistories({ stories: rounds(4, 200), seed: SEED })
  t.deepEqual(problems, [])
  t.true((counts.granted ?? 0) > 2)
})

/** A log in which two wait for one machine that is released twice, so that each is granted it in turn. */
const twoGrants = async (t: ExecutionContext): Promise<readonly LoggedEvent[]> => {
  const lab = await openQueueLab(t, { random: makeRandom(SEED) })
  for (const user of ['ada', 'ben']) await lab.addUser(user, 'tester')
  const sut = await lab.addSut({}, {})
  const ask = (user_id: string) =>
    lab.ask(0, { user_id, target: { sut_id: sut }, duration: 900, wait: 3_600, priority: 0 })
  await lab.reserve(0, sut, 'ada', 0, 900)
  for (const user of ['ada', 'ben']) await ask(user)
  for (let n = 0; n < 2; n++) {
    lab.pass(900_000)
    await lab.settle()
  }
  return lab.log()
}

test('control: a log in which two grants have changed places breaks the rule', async (t) => {
  const log = await twoGrants(t)
  const { problems, counts } = judge(log)
  t.deepEqual([problems, counts.granted], [[], 2])
  const [first = '', second = ''] = log.flatMap(({ type, data }) =>
    type === 'ReservationRequested' ? [(data as { readonly _id: string })._id] : [],
  )
  const swapped = log.map((event) => {
    if (!/^Request(?:Offered|Granted)$/.test(event.type)) return event
    const text = JSON.stringify(event.data).replaceAll(first, '#').replaceAll(second, first).replaceAll('#', second)
    return { ...event, data: JSON.parse(text) as object }
  })
  t.true(judge(swapped).problems.some((problem) => problem.endsWith(`before ${first}`)))
})

test('in an hour of 64 pipelines over 8 machines none is idle while a request that fits waits', async (t) => {
  const { problems, counts, waited } = await playDay(t, { seed: SEED, hours: 1 })
  t.deepEqual(problems, [])
  t.log({ ...counts, ...waited })
  t.true((counts.granted ?? 0) > 20)
})
