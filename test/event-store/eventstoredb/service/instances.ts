import { randomBytes } from 'node:crypto'
import type { EventStore } from '../../../../src/event-store/event-store.ts'
import { type Running, type Setting, start, type Tidying } from '../../../http/harness.ts'
import type { Event } from '../../../http/store/log-rows.ts'
import { until } from '../../../http/until.ts'
import { aStream, recordsOf } from '../../new-events.ts'
import { ownLogAt, SHARED_STORE } from '../../shared-store.ts'
import type { ProtocolServer, ProtocolServerOptions } from '../protocol/protocol-server.ts'
import { aServer } from '../server-and-client.ts'
import { openAt } from '../subject.ts'

/** Where instances find their log. */
export type SharedServer = Pick<ProtocolServer, 'address'>

/** The server given, with a log of its own there, or else a protocol server. */
export const aSharedServer = async (t: Tidying): Promise<SharedServer> => {
  if (SHARED_STORE !== undefined) return { address: ownLogAt(SHARED_STORE, randomBytes(8).toString('hex')) }
  return aServer(t)
}

/** An address with its own options: clients with equal options in one process share a connection. */
export const addressOf = (server: SharedServer, instance: number): string =>
  `${server.address}&keepAliveInterval=${10_000 + 10 * instance}`

/** Opens only the adapter, with its own connection. */
export const openAdapter = (t: Tidying, server: SharedServer, instance = 90): Promise<EventStore> =>
  openAt(t, addressOf(server, instance))

/** A server, an adapter of it, and the name of a stream. */
export const anAdapter = async (t: Tidying, options: ProtocolServerOptions = {}) => {
  const server = await aServer(t, options)
  return { server, store: await openAdapter(t, server), stream: aStream() }
}

/** Every event of the log of a server, in order. */
export const eventsIn = async <A = Event>(t: Tidying, server: SharedServer): Promise<readonly A[]> => {
  const store = await openAdapter(t, server)
  const records = await recordsOf(store, -1)
  await store.close()
  return records.map(({ text }) => JSON.parse(text) as A)
}

export interface Instances {
  readonly server: ProtocolServer
  readonly services: readonly Running[]
  /** The environment of all instances. */
  readonly environment: Readonly<Record<string, string>>
  /** Every event of the log, in order. */
  readonly log: () => Promise<readonly Event[]>
}

export const aVaultKey = (id = 'k1'): string => `${id}:${randomBytes(32).toString('base64')}`

/** The audit key, the same on all instances. */
export const AUDIT_KEY = { BERTH_AUDIT_KEY: randomBytes(32).toString('base64') }

export interface InstanceSetting extends Omit<Setting, 'openStore'> {
  readonly count?: number
  /** Changes an instance's store, to make it lag or break a law. */
  readonly change?: (instance: number) => ((store: EventStore) => EventStore) | undefined
}

/** Starts another instance with its own directory, and waits until it is ready. */
export const startInstance = async (
  t: Tidying,
  server: SharedServer,
  instance: number,
  { change, ...setting }: Omit<InstanceSetting, 'count'>,
): Promise<Running> => {
  const changed = change?.(instance)
  const store = changed?.(await openAdapter(t, server, instance))
  const service = await start(t, {
    ...setting,
    environment: { ...AUDIT_KEY, ...setting.environment, BERTH_EVENT_STORE: addressOf(server, instance) },
    ...(store && { openStore: () => store }),
  })
  await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 60_000)
  return service
}

/** Starts instances with a shared store, the same users and the same vault key. */
export const startInstances = async (t: Tidying, setting: InstanceSetting = {}): Promise<Instances> => {
  const { count = 3, ...others } = setting
  const server = await aServer(t)
  const environment = { ...AUDIT_KEY, BERTH_VAULT_KEY: aVaultKey(), ...others.environment }
  const services: Running[] = []
  for (let i = 0; i < count; i++) services.push(await startInstance(t, server, i, { ...others, environment }))
  return { server, services, environment, log: () => eventsIn(t, server) }
}
