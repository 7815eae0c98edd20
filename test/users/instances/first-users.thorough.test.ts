/** Three instances that start at once on an empty log. */

import test, { type ExecutionContext } from 'ava'
import { USERS_STREAM } from '../../../src/domain/values/ids.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { ProtocolServer } from '../../event-store/eventstoredb/protocol/protocol-server.ts'
import { aServer } from '../../event-store/eventstoredb/server-and-client.ts'
import { AUDIT_KEY, aVaultKey, openAdapter, startInstance } from '../../event-store/eventstoredb/service/instances.ts'
import { basic } from '../../http/client.ts'
import { type Running, temporaryData } from '../../http/harness.ts'
import { NOW } from '../../http/requests.ts'

const COUNT = 3

/** Appends to the stream of users wait until every instance is about to make one. */
const makeMeeting = () => {
  const all = Promise.withResolvers<void>()
  let arrived = 0
  return (store: EventStore): EventStore => ({
    ...store,
    append: async (stream, ...given) => {
      if (stream === USERS_STREAM) {
        if (++arrived === COUNT) all.resolve()
        await all.promise
      }
      return store.append(stream, ...given)
    },
  })
}

const PASSWORD = 'long enough to be taken'

const startAll = async (t: ExecutionContext) => {
  const change = makeMeeting()
  const server = await aServer(t)
  const all = { ...AUDIT_KEY, BERTH_VAULT_KEY: aVaultKey(), BERTH_ADMIN_PASSWORD: PASSWORD }
  const services = await Promise.all(
    Array.from({ length: COUNT }, async (_, instance) =>
      startInstance(t, server, instance, {
        now: NOW,
        data: await temporaryData(t),
        firstUsers: 'administrator',
        environment: all,
        change: () => change,
      }),
    ),
  )
  return { server, services }
}

const addedTo = async (t: ExecutionContext, server: ProtocolServer): Promise<readonly string[]> => {
  const store = await openAdapter(t, server)
  const added: string[] = []
  for await (const page of store.readStream(USERS_STREAM, -1)) {
    for (const { type, data } of page) if (type === 'UserAdded') added.push(data._id)
  }
  return added
}

const idsOf = (services: readonly Running[], name: string, password?: string) =>
  Promise.all(
    services.map(async ({ anyone }) => {
      const { json } = await anyone.get('/api/user/me', { Authorization: basic(name, password) })
      return json._id
    }),
  )

test('of three instances with BERTH_ADMIN_PASSWORD, who all find the log empty, one makes the administrator', async (t) => {
  const { server, services } = await startAll(t)
  const added = await addedTo(t, server)
  t.is(added.length, 1)
  t.deepEqual(await idsOf(services, 'admin', PASSWORD), [added[0], added[0], added[0]])
})
