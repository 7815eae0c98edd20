/** A lab with machines inside and outside the scope of one tester, and names for all that is in it. */

import { join } from 'node:path'
import { makeEventId } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { append, randomHex } from '../../event-store/new-events.ts'
import type { Answer, Client } from '../client.ts'
import { idOf, type Running, start, type Tidying, temporaryData } from '../harness.ts'
import { aSut, NOW } from '../requests.ts'
import { changedStore } from '../store/stores.ts'

/** The scope of alice, who reads both labs. */
export const SCOPE = 'team=qa1,rack=4'
export const INSIDE = { team: 'qa1', rack: '4' }

/** An id that nothing has. */
export const NOTHING = '590000000000000000000000'

export interface Lab {
  readonly service: Running
  readonly admin: Client
  /** Ids by label. Users of these tests have ids like their names. */
  readonly ids: Map<string, string>
  /** Ports of SUTs by label. */
  readonly ports: Map<string, number>
  readonly addUser: (name: string, role?: string) => Promise<void>
  readonly addSut: (label: string, tags: object, more?: object) => Promise<void>
  /** Reserves for a user by its label. False if the window is not free. */
  readonly reserve: (label: string, sut: string, holder: string, start: string, end: string) => Promise<boolean>
  /** Reserves two windows, a week apart. */
  readonly reserveSeries: Lab['reserve']
  /** Makes a request that is not granted soon. */
  readonly waitFor: (label: string, sut: string, holder: string) => Promise<void>
  readonly post: (path: string, body?: object) => Promise<Answer>
  /** Records a session of a reservation, as if its holder had connected. */
  readonly connect: (label: string, reservation: string, sut: string, holder: string) => Promise<void>
}

/** A day of these tests, from 2030-05-02 on, and a time of day. */
export const at = (time: string, day = 2): string => `2030-05-0${day}T${time}:00+00:00`

const succeeded = (answer: Answer): Answer => {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`)
  return answer
}

/** The id of what a label stands for, or of nothing. */
export const idIn = ({ ids }: Pick<Lab, 'ids'>, label: string): string => ids.get(label) ?? NOTHING

const openStoreOf = (data: string) => {
  let opened: EventStore | undefined
  return {
    store: () => opened as EventStore,
    openStore: changedStore(join(data, 'events.db'), (store) => {
      opened = store
      return {}
    }),
  }
}

const sessionOpened = (service: Running, ids: { sut_id: string; reservation_id: string; user_id: string }) => {
  const time = formatMilliseconds(service.clock.now())
  const request_id = makeEventId(service.clock.now(), randomHex(10))
  const metadata = { actor: 'gateway', role: 'system', request_id, schema: 1, time } as const
  const data = { _id: randomHex(12), ...ids, instance: '0'.repeat(16), opened_at: time }
  return { type: 'SessionOpened', data, id: makeEventId(service.clock.now(), randomHex(10)), metadata } as const
}

export const openLab = async (t: Tidying): Promise<Lab> => {
  const data = await temporaryData(t)
  const { store, openStore } = openStoreOf(data)
  // The key that verifies checkpoints is that of the lab, whatever is in it.
  const environment = { BERTH_AUDIT_KEY: Buffer.alloc(32, 1).toString('base64') }
  const service = await start(t, {
    now: NOW,
    data,
    openStore,
    environment,
    changes: { heartbeat: 30, checkInterval: 10 },
  })
  const admin = service.as('admin')
  const ids = new Map(['admin', 'alice', 'bob', 'audrey'].map((name) => [name, idOf(name)]))
  const ports = new Map<string, number>()
  const sessions = new Map<string, number>()
  const post: Lab['post'] = async (path, body = {}) => succeeded(await admin.post(path, body))
  return {
    ...{ service, admin, ids, ports, post },
    addUser: async (name, role = 'tester') => {
      const { json } = await post('/api/user/create', { name, role, _id: `id-of-${name}` })
      ids.set(name, String(json._id))
    },
    addSut: async (label, tags, more = {}) => {
      const { json } = await post('/api/sut/create', aSut({ name: label, ...more }))
      ids.set(label, String(json._id))
      await post(`/api/sut/${json._id}/tags`, tags)
    },
    reserve: async (label, sut, holder, start_time, end_time) => {
      const window = { sut_id: ids.get(sut), user_id: ids.get(holder), start_time, end_time }
      const made = await admin.post('/api/sut_reservation/create', window)
      if (made.status === 409) return false
      const { _id, listen_port } = succeeded(made).json
      ids.set(label, String(_id))
      ports.set(sut, Number(listen_port))
      return true
    },
    waitFor: async (label, sut, holder) => {
      const request = { sut_id: ids.get(sut), user_id: ids.get(holder), duration: 604_800 }
      ids.set(label, String((await post('/api/sut_request/create', request)).json._id))
    },
    reserveSeries: async (label, sut, holder, start_time, end_time) => {
      const window = { sut_id: ids.get(sut), user_id: ids.get(holder), start_time, end_time }
      const rule = { rrule: 'FREQ=WEEKLY;COUNT=2', time_zone: 'UTC' }
      const made = await admin.post('/api/sut_reservation_series/create', { ...window, ...rule })
      if (made.status === 409) return false
      ids.set(label, String(succeeded(made).json.series_id))
      return true
    },
    connect: async (label, reservation, sut, holder) => {
      const [sut_id, reservation_id, user_id] = [sut, reservation, holder].map((one) => ids.get(one) as string)
      const event = sessionOpened(service, { sut_id, reservation_id, user_id } as never)
      ids.set(label, event.data._id)
      const before = sessions.get(sut) ?? -1
      await append(store(), `sessions-${sut_id}`, before, [event])
      sessions.set(sut, before + 1)
    },
  }
}
