import test from 'ava'
import { StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { makeCallLimit } from '../../../src/event-store/eventstoredb/server/call-limit.ts'

test('90 calls run at once and 10,000 wait in order, and more are refused as unavailable', async (t) => {
  const limit = makeCallLimit()
  const begun: number[] = []
  const call = async (n: number): Promise<void> => {
    await limit.acquire()
    begun.push(n)
  }
  const calls = Array.from({ length: 90 + 10_000 }, (_, n) => call(n))
  await Promise.all(calls.slice(0, 90))
  t.is(begun.length, 90)
  await t.throwsAsync(limit.acquire(), { instanceOf: StoreUnavailable })
  limit.release()
  await calls[90]
  const later = call(10_090)
  for (let n = 0; n < 10_000; n++) limit.release()
  await Promise.all([...calls, later])
  t.deepEqual(
    begun,
    Array.from({ length: 10_091 }, (_, n) => n),
  )
})
