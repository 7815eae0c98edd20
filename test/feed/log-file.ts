import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { NewEvent } from '../../src/domain/event.ts'
import { makeEventId, sutStream } from '../../src/domain/values/ids.ts'
import { openSqliteStore } from '../../src/event-store/sqlite/store.ts'
import { append, beginLog, randomHex } from '../event-store/new-events.ts'
import { storeKeys } from '../event-store/stored-keys.ts'
import { type Running, type Setting, start, type Tidying, temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { rightOf } from '../users/builders.ts'

const SUT = '58c38f5d444553252cce0000'
const TIME = Date.UTC(2030, 4, 2, 5, 58, 11, 400)

/** An event of the SUT at a fixed time. */
const anEvent = (type: 'SutCreated' | 'SutUpdated', more: object): NewEvent =>
  ({
    type,
    data: { _id: SUT, ...more },
    id: makeEventId(TIME, randomHex(10)),
    metadata: {
      actor: '590780914445534540190009',
      role: 'administrator',
      request_id: randomHex(8),
      time: new Date(TIME).toISOString(),
      schema: 1,
    },
  }) as NewEvent

const CREATED = {
  name: 'bench 4',
  description: '',
  address: '192.168.9.5',
  port: 5902,
  sut_type: 'vnc',
  is_active: true,
  manufacturer: '',
  model: '',
  os: '',
  version: '',
  listen_port: 20_000,
}

const [VAULT_KEY, AUDIT_KEY] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
/** The keys of a service on a log that it did not create. */
export const VAULT = { BERTH_VAULT_KEY: `k-first:${VAULT_KEY}`, BERTH_AUDIT_KEY: AUDIT_KEY }

const TEXTS = ['description', 'manufacturer', 'model', 'os', 'version']

const textsOf = (n: number, characters: number): object =>
  Object.fromEntries(TEXTS.map((name) => [name, `${n} `.padEnd(characters, 'x')]))

/** A data directory with a log of `count` events: a SUT and updates, each with five texts of `characters` length. */
export const dataWithLog = async (t: Tidying, count: number, characters: number): Promise<string> => {
  const data = await temporaryData(t)
  const store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal: () => undefined })
  const changes = Array.from({ length: count - 1 }, (_, n) => anEvent('SutUpdated', textsOf(n, characters)))
  const all = [anEvent('SutCreated', CREATED), ...changes]
  await storeKeys(store, AUDIT_KEY, VAULT_KEY)
  await beginLog(store)
  for (let from = 0; from < all.length; from += 500) {
    rightOf(await append(store, sutStream(SUT), from - 1, all.slice(from, from + 500)))
  }
  await store.close()
  return data
}

/** A ready service on such a log. */
export const startWithLog = async (
  t: Tidying,
  { count, characters }: { readonly count: number; readonly characters: number },
  setting: Setting = {},
): Promise<Running> => {
  const data = await dataWithLog(t, count, characters)
  const service = await start(t, { ...setting, data, environment: VAULT })
  await until('the service is ready', async () => (await service.anyone.get('/health/ready')).status === 200, 60_000)
  return service
}
