import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { type Running, start, type Tidying, temporaryData } from '../harness.ts'

const aKey = (): string => randomBytes(32).toString('base64')

/** The configuration of the keys that all services on one store share. */
export const keysOfAll = () => ({ BERTH_VAULT_KEY: `k1:${aKey()}`, BERTH_AUDIT_KEY: aKey() })

export interface TwoServices {
  readonly services: readonly Running[]
  /** The directory of the log. */
  readonly data: string
}

/**
 * Two services on one store, like two machines on a cluster. A single service would serialise its commands. Here only
 * the expected revision prevents conflicts.
 */
export const startTwo = async (
  t: Tidying,
  wrap: (store: EventStore) => EventStore = (store) => store,
): Promise<TwoServices> => {
  const data = await temporaryData(t)
  const onFatal = (error: unknown): never => {
    throw error
  }
  const store = wrap(openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal }))
  t.teardown(() => store.close())
  const openStore = () => ({ ...store, close: async () => undefined })
  const environment = keysOfAll()
  return { services: [await start(t, { environment, openStore }), await start(t, { environment, openStore })], data }
}
