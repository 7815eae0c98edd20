import test from 'ava'

import { interrupted } from '../store/interrupted-store.ts'
import { aRequester, atEachCall, faultsOf, grantsOf, type Stage } from './stage.ts'

/** A request that is withdrawn while another instance withdraws or grants it, at any call of the store. */

/** After the end of that reservation. */
const LATER_MS = 4_000_000

/** A request that waits for a SUT which somebody has for an hour. */
const waits = async ({ store, clock, suts }: Stage): Promise<{ readonly id: string; readonly free: string }> => {
  const [, free = ''] = suts
  await aRequester(store, clock).take(free)
  const id = await aRequester(store, clock, { suts: [free] }).ask('k', 2 * 3_600)
  return { id, free }
}

test('of two withdrawals at once, both are answered as withdrawn', async (t) => {
  await atEachCall(
    t,
    async (stage, nth) => {
      const { store, clock, log } = stage
      const { id, free } = await waits(stage)
      const other = aRequester(store, clock, { suts: [free] })
      const answers: string[] = []
      const slow = interrupted(store, nth, async () => void answers.push(await other.withdraw(id)))
      answers.push(await aRequester(slow.store, clock, { suts: [free], truth: store }).withdraw(id))
      t.deepEqual([...new Set(answers)], ['withdrawn'], `at ${nth}`)
      t.is((await log()).filter(({ type }) => type === 'RequestWithdrawn').length, 1)
      return slow.calls()
    },
    3,
  )
})

test('a withdrawal that a grant overtakes names the reservation, and never says that the request expired', async (t) => {
  const seen = new Set<string>()
  await atEachCall(
    t,
    async (stage, nth) => {
      const { store, clock, log } = stage
      const { id, free } = await waits(stage)
      clock.pass(LATER_MS)
      const other = aRequester(store, clock, { suts: [free] })
      const slow = interrupted(store, nth, other.grant)
      const answer = await aRequester(slow.store, clock, { suts: [free], truth: store }).withdraw(id)
      const [granted] = grantsOf(await log(), id)
      t.is(answer, granted === undefined ? 'withdrawn' : `request_granted ${granted}`, `at ${nth}`)
      seen.add(answer.split(' ')[0] as string)
      t.deepEqual(faultsOf(await log()), [])
      return slow.calls()
    },
    3,
  )
  t.true(seen.has('request_granted') && seen.has('withdrawn'), [...seen].join())
})
