import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { readEventStoreDbAddress } from '../../../src/event-store/eventstoredb/server/address.ts'
import { type EventStoreDb, openEventStoreDb } from '../../../src/event-store/eventstoredb/store.ts'
import type { Tidying } from '../../http/harness.ts'
import { rightOf } from '../../users/builders.ts'
import type { Subject } from '../contract/contract.ts'
import { randomHex } from '../new-events.ts'
import { addressFor } from '../shared-store.ts'

/** The address of a new log on a shared server. */
export const aLogOn = (address: string): string => addressFor(address, randomUUID())

/** Opens the log at an address, and closes it after the test. */
export const openAt = async (
  t: Tidying,
  address: string,
  options: Partial<Parameters<typeof openEventStoreDb>[0]> = {},
): Promise<EventStoreDb> => {
  const store = await openEventStoreDb({ address: rightOf(readEventStoreDbAddress(address)), randomHex, ...options })
  t.teardown(store.close)
  return store
}

/** Opens a new log on a server at each call. */
export const openEventStoreDbSubject =
  (server: () => string) =>
  async (t: ExecutionContext): Promise<Subject> => {
    const address = aLogOn(server())
    let store = await openAt(t, address)
    return {
      store,
      reopen: async () => {
        await store.close()
        store = await openAt(t, address)
        return store
      },
    }
  }
