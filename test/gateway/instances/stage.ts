/** Instances over one EventStoreDB that forward the same SUT, each on an address of its own. */

import type { EventStore } from '../../../src/event-store/event-store.ts'
import {
  AUDIT_KEY,
  addressOf,
  aSharedServer,
  eventsIn,
  type SharedServer,
  startInstance,
} from '../../event-store/eventstoredb/service/instances.ts'
import type { Setting, Tidying } from '../../http/harness.ts'
import { aDoublingSut, anEnvironment, NOW, putSut, tickAlways } from '../sessions/stage.ts'

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

export const anEventStore = async (t: Tidying, suts = 1) => {
  const server = await aSharedServer(t)
  const { port, environment } = await anEnvironment(suts)
  return { server, port, environment, log: () => eventsIn(t, server) }
}

/** Two instances, the second of which may have a changed store. */
export const startTwo = async (
  t: Tidying,
  { suts = 1, change }: { readonly suts?: number; readonly change?: (store: EventStore) => Partial<EventStore> } = {},
) => {
  const { server, port, environment, log } = await anEventStore(t, suts)
  const changeStore = (store: EventStore): EventStore => ({ ...store, ...change?.(store) })
  const first = await startInstance(t, server, 1, settingOf(server, environment, 1))
  const second = await startInstance(t, server, 2, {
    ...settingOf(server, environment, 2),
    change: () => changeStore,
  })
  const services = [first, second] as const
  tickAlways(t, services)
  return { services, hosts: [hostOf(1), hostOf(2)] as const, port, log }
}

/** Two instances, and a SUT. */
export const twoInstances = async (t: Tidying) => {
  const two = await startTwo(t)
  return { ...two, sut_id: await putSut(two.services[0], await aDoublingSut(t)) }
}
