/** A request that is withdrawn while another instance withdraws or grants it, at any call of the store. */

import test from 'ava'

import { interrupted } from '../store/interrupted-store.ts'
import { aRequester, atEachCall, faultsOf, grantsOf, type Stage } from './stage.ts'

/** After the end of that reservation. */
const LATER_MS = 4_000_000

/** A request that waits for a SUT which somebody has for an hour. */
const waits = async ({ store, clock, suts }: Stage): Promise<{ readonly id: string; readonly free: string }> => {
  const [, free = ''] = suts
  await aRequester(store, clock).take(free)
  const id = await aRequester(store, clock, { suts: [free] }).ask('k', 2 * 3_600)
  return { id, free }
}

test('a withdrawal that another overtakes finds that the request does not wait any more', async (t) => {
  const seen = new Set<string>()
  await atEachCall(
    t,
    async (stage, nth) => {
      const { store, clock, log } = stage
      const { id, free } = await waits(stage)
      const other = aRequester(store, clock, { suts: [free] })
      const answers: string[] = []
      const slow = interrupted(store, nth, async () => void answers.push(await other.withdraw(id)))
      answers.push(await aRequester(slow.store, clock, { suts: [free], truth: store }).withdraw(id))
      t.is(answers.filter((answer) => answer === 'withdrawn').length, 1, `at ${nth}`)
      t.is((await log()).filter(({ type }) => type === 'RequestWithdrawn').length, 1)
      for (const answer of answers) seen.add(answer)
      return slow.calls()
    },
    3,
  )
  t.deepEqual([...seen].toSorted(), ['request_over', 'withdrawn'])
})

test('a withdrawal that a grant overtakes withdraws nothing', async (t) => {
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
      t.is(answer, grantsOf(await log(), id).length === 0 ? 'withdrawn' : 'request_over', `at ${nth}`)
      seen.add(answer)
      t.deepEqual(faultsOf(await log()), [])
      return slow.calls()
    },
    3,
  )
  t.deepEqual([...seen].toSorted(), ['request_over', 'withdrawn'])
})
