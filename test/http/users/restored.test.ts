/** What a removal that is still running leaves alone once its user has been restored. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { Answer } from '../client.ts'
import { idOf, type Running, start, temporaryData } from '../harness.ts'
import { aReservation, createSut, NOW, reserve } from '../requests.ts'
import { changedStore } from '../store/stores.ts'
import { until } from '../until.ts'

const PATH = `/api/user/${idOf('alice')}`
const DAY = Date.parse('2030-05-03T00:00:00Z')
/** Reservations that a removal ends at once. */
const PAGE = 100

const windowOf = (n: number) => ({
  start_time: new Date(DAY + n * 900_000).toISOString(),
  end_time: new Date(DAY + (n + 1) * 900_000).toISOString(),
})

/** A service on a store that holds back what ends reservations and revokes tokens, until it is let go. */
const given = async (t: ExecutionContext) => {
  const data = await temporaryData(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = { count: 0 }
  const change = (store: EventStore): Partial<EventStore> => ({
    append: async (stream, expected, events, ...rest) => {
      if (events.some(({ type }) => type === 'ReservationCancelled')) {
        held.count++
        await promise
      }
      return store.append(stream, expected, events, ...rest)
    },
  })
  t.teardown(() => resolve())
  const service = await start(t, { data, now: NOW, openStore: changedStore(join(data, 'events.db'), change) })
  return { service, held, letGo: () => resolve() }
}

const remove = ({ as }: Running, key: string): Promise<Answer> =>
  as('admin').post(`${PATH}/remove`, { reservations: 'cancel' }, { 'Idempotency-Key': key })

const restore = async ({ as }: Running): Promise<number> => (await as('admin').post(`${PATH}/restore`, {})).status

const statusOf = async ({ as }: Running, { json }: Answer): Promise<number> =>
  (await as('admin').get(`/api/sut_reservation/${json._id}`)).status

test('a removal that still runs stops at the restoration, and cancels nothing made after it', async (t) => {
  const { service, held, letGo } = await given(t)
  const suts = await Promise.all(Array.from({ length: 2 }, () => createSut(service.as('admin'))))
  const [sut = ''] = suts
  const oldest = await reserve(service.as('admin'), { ...aReservation(sut, windowOf(0)), user_id: idOf('alice') })
  for (let n = 0; n < PAGE; n++) {
    const body = { ...aReservation(suts[n % 2] ?? '', windowOf(1 + n)), user_id: idOf('alice') }
    t.is((await reserve(service.as('admin'), body)).status, 201)
  }
  const removing = remove(service, 'leaving')
  await until('reservations are being cancelled', async () => held.count > 0, 60_000)
  t.is(await restore(service), 200)
  const fresh = await reserve(service.as('alice'), aReservation(await createSut(service.as('admin')), windowOf(0)))
  t.is(fresh.status, 201)
  letGo()
  t.deepEqual((await removing).json, { _id: idOf('alice'), cancelled: PAGE, released: 0 })
  t.is(await statusOf(service, fresh), 200)
  t.is(await statusOf(service, oldest), 200)
})

test('a removal repeated with its key after the restoration ends nothing', async (t) => {
  const { service, letGo } = await given(t)
  letGo()
  t.is((await remove(service, 'again')).status, 200)
  t.is(await restore(service), 200)
  const { json } = await service.as('alice').post('/api/user/me/token', { name: 'ci' })
  const kept = await reserve(service.as('alice'), aReservation(await createSut(service.as('admin')), windowOf(0)))
  t.deepEqual((await remove(service, 'again')).json, { _id: idOf('alice'), cancelled: 0, released: 0 })
  t.is(await statusOf(service, kept), 200)
  t.is((await service.anyone.get('/api/user/me', { Authorization: `Bearer ${json.token}` })).status, 200)
})
