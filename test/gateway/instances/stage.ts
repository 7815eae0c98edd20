import {
  AUDIT_KEY,
  addressOf,
  aSharedServer,
  openAdapter,
  type SharedServer,
  startInstance,
} from '../../event-store/eventstoredb/service/instances.ts'
import { recordsOf } from '../../event-store/new-events.ts'
import type { Running, Setting, Tidying } from '../../http/harness.ts'
import type { Event } from '../../http/store/log-rows.ts'
import { aDoublingSut, anEnvironment, NOW, putSut } from '../sessions/stage.ts'

/** Instances over one EventStoreDB that forward the same SUT, each on an address of its own. */

/** The address that an instance's gateway listens on. */
export const hostOf = (instance: number): string => `127.0.0.${10 + instance}`

/** What an instance is started with. */
export const settingOf = (
  server: SharedServer,
  environment: Readonly<Record<string, string>>,
  instance: number,
): Required<Pick<Setting, 'now' | 'environment'>> => ({
  now: NOW,
  environment: {
    ...AUDIT_KEY,
    ...environment,
    BERTH_EVENT_STORE: addressOf(server, instance),
    BERTH_GATEWAY_HOST: hostOf(instance),
  },
})

export const anEventStore = async (t: Tidying) => {
  const server = await aSharedServer(t)
  const { port, environment } = await anEnvironment()
  /** Every event of the log, in order. */
  const log = async (): Promise<readonly Event[]> => {
    const store = await openAdapter(t, server)
    const records = await recordsOf(store, -1)
    await store.close()
    return records.map(({ text }) => JSON.parse(text) as Event)
  }
  return { server, port, environment, log }
}

type Change = Parameters<typeof startInstance>[3]['change']

/** Two instances, and a SUT. */
export const twoInstances = async (t: Tidying, change?: Change) => {
  const { server, port, environment, log } = await anEventStore(t)
  const startOne = (instance: number): Promise<Running> =>
    startInstance(t, server, instance, { ...settingOf(server, environment, instance), ...(change && { change }) })
  const services = [await startOne(1), await startOne(2)] as const
  const ticking = setInterval(() => {
    for (const { tick } of services) tick()
  }, 50)
  t.teardown(() => clearInterval(ticking))
  const sut_id = await putSut(services[0], await aDoublingSut(t))
  return { services, hosts: [hostOf(1), hostOf(2)] as const, port, log, sut_id }
}
