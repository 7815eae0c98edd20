import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { BEGINNING, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { openStoreConnection, type StoreConnection } from '../../../src/event-store/eventstoredb/server/connection.ts'
import { makeLogEvents } from '../../../src/event-store/eventstoredb/server/records.ts'
import { makeSubscribe } from '../../../src/event-store/eventstoredb/subscribe.ts'
import { temporaryData } from '../../http/harness.ts'

/** A connection that cannot make a client, since the file of its authorities is missing. */
const aConnectionWithoutItsAuthorities = async (
  t: ExecutionContext,
): Promise<{ readonly connection: StoreConnection; readonly caFile: string }> => {
  const caFile = join(await temporaryData(t), 'missing.pem')
  const hosts = [{ address: 'localhost', port: 2113 }]
  const connection = openStoreConnection({ hosts, isDiscovered: false, tls: true, caFile }, 'commands')
  t.teardown(connection.close)
  return { connection, caFile }
}

test('a call without a client does not take the place of a later one', async (t) => {
  const { connection } = await aConnectionWithoutItsAuthorities(t)
  // More than may run at once.
  for (let n = 0; n < 100; n++) {
    await t.throwsAsync(
      connection.use(async () => undefined),
      { code: 'ENOENT' },
    )
  }
})

test('a subscription that cannot begin ends as unavailable, and nothing else fails', async (t) => {
  const { connection, caFile } = await aConnectionWithoutItsAuthorities(t)
  const subscribe = makeSubscribe({
    connection,
    events: makeLogEvents(''),
    head: async () => toStorePosition(7),
    begun: () => BEGINNING,
    closing: new AbortController().signal,
  })
  const unhandled: unknown[] = []
  const note = (error: { readonly path?: string }): void => void (error.path === caFile && unhandled.push(error))
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  const batches = subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
  await t.throwsAsync(batches.next(), { instanceOf: StoreUnavailable })
  await nextTurn()
  t.deepEqual(unhandled, [])
})
