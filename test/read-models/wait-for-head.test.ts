import test from 'ava'
import { toStorePosition } from '../../src/domain/values/position.ts'
import { StoreUnavailable } from '../../src/event-store/event-store.ts'
import { waitForHead } from '../../src/read-models/wait-for-head.ts'

test('catching up with a store that does not say where its log ends fails in time', async (t) => {
  const views = { waitForStorePosition: () => true }
  const store = { head: () => new Promise<never>(() => undefined) }
  await t.throwsAsync(waitForHead(views, store, 50), { instanceOf: StoreUnavailable })
})

test('the views get what is left of the time, and five seconds at most', async (t) => {
  const given: number[] = []
  const views = {
    waitForStorePosition: (_: number, within = 0) => {
      given.push(within)
      return Promise.resolve(true)
    },
  }
  const store = { head: async () => toStorePosition(7) }
  for (const within of [10_000, 2_000]) t.true(await waitForHead(views, store, within))
  t.is(given[0], 5_000)
  t.true((given[1] ?? 0) <= 2_000)
})
