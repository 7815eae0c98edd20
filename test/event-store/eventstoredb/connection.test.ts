import { join } from 'node:path'
import test from 'ava'
import { StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { openStoreConnection } from '../../../src/event-store/eventstoredb/server/connection.ts'
import { temporaryData } from '../../http/harness.ts'

const hosts = [{ address: 'localhost', port: 2113 }]

test('90 calls run at once and 10,000 wait in order, and more are refused as unavailable', async (t) => {
  const connection = openStoreConnection({ hosts, isDiscovered: false, tls: false }, 'commands')
  const begun: number[] = []
  const ends: (() => void)[] = []
  const call = (n: number): Promise<void> =>
    connection.use(() => {
      begun.push(n)
      return new Promise((resolve) => ends.push(resolve))
    })
  const calls = Array.from({ length: 90 + 10_000 }, (_, n) => call(n))
  await new Promise(setImmediate)
  t.is(begun.length, 90)
  await t.throwsAsync(call(-1), { instanceOf: StoreUnavailable })
  for (let n = 0; n < calls.length; n++) {
    ends[n]?.()
    await calls[n]
  }
  t.deepEqual(begun, [...calls.keys()])
  const rest = Array.from({ length: 91 }, (_, n) => call(n))
  await new Promise(setImmediate)
  await connection.close()
  await t.throwsAsync(rest[90] as Promise<void>, { instanceOf: StoreUnavailable })
  await t.throwsAsync(call(0), { instanceOf: StoreUnavailable })
})

test('a call without a client does not take the place of a later one', async (t) => {
  const caFile = join(await temporaryData(t), 'missing.pem')
  const connection = openStoreConnection({ hosts, isDiscovered: false, tls: true, caFile }, 'commands')
  t.teardown(connection.close)
  // More than may run at once.
  for (let n = 0; n < 100; n++) {
    await t.throwsAsync(
      connection.use(async () => undefined),
      { code: 'ENOENT' },
    )
  }
})
