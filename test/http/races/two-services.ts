import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { type Running, type Setting, start, type Tidying, temporaryData } from '../harness.ts'

const aKey = (): string => randomBytes(32).toString('base64')

export interface TwoServices {
  readonly services: readonly [Running, Running]
  /** The directory of the log. */
  readonly data: string
}

/**
 * Two services on one store, like two machines on a cluster. A single service would serialise its commands. Here only
 * the expected revision prevents conflicts.
 *
 * @param change of the store of the second one, to make it lag
 */
export const startTwo = async (
  t: Tidying,
  setting: Pick<Setting, 'now'> = {},
  change: (store: EventStore) => Partial<EventStore> = () => ({}),
): Promise<TwoServices> => {
  const data = await temporaryData(t)
  const onFatal = (error: unknown): never => {
    throw error
  }
  const store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
  t.teardown(() => store.close())
  const shared = { ...store, close: async () => undefined }
  const environment = { BERTH_VAULT_KEY: `k1:${aKey()}`, BERTH_AUDIT_KEY: aKey() }
  const one = await start(t, { ...setting, environment, openStore: () => shared })
  const other = await start(t, { ...setting, environment, openStore: () => ({ ...shared, ...change(shared) }) })
  return { services: [one, other], data }
}
