/** Retries while the first request is in flight, and after it was interrupted. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { Headers } from '../client.ts'
import { type Running, start, temporaryData } from '../harness.ts'
import { said } from '../lab.ts'
import { aReservation, aSut, createSut, NOW, reserve } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import { changedStore, failingAppends, makeGate } from '../store/stores.ts'

const KEY: Headers = { 'Idempotency-Key': 'k' }

const startOver = async (t: ExecutionContext, change: (store: EventStore) => Partial<EventStore>): Promise<Running> => {
  const data = await temporaryData(t)
  return start(t, { now: NOW, data, openStore: changedStore(join(data, 'events.db'), change) })
}

const isOfSut = (stream: string): boolean => stream.startsWith('sut-')

const create = (service: Running, more: object = {}) =>
  service.as('admin').post('/api/sut/create', aSut({ ...more }), KEY)

test('a SUT creation interrupted between its two appends resumes with its id, time and port', async (t) => {
  const service = await startOver(t, failingAppends(isOfSut, 1))
  const again = () => create(service, { password: 'secret' })
  t.is(said(await again()), '503 unavailable')
  const [assigned, ...others] = await logOf(service)
  t.deepEqual([assigned?.type, others], ['ListenPortAssigned', []])
  t.is(said(await create(service, { name: 'other' })), '422 idempotency_key_reused Idempotency-Key')
  service.clock.set('2030-05-02T05:58:59Z')
  const made = await again()
  t.is(made.status, 201)
  t.is(made.json._id, assigned?.data.sut_id)
  t.is(made.json.created_at, '2030-05-02T05:58:11.400+00:00')
  const reservation = await reserve(service.as('alice'), aReservation(String(made.json._id)))
  t.is(reservation.json.listen_port, assigned?.data.listen_port)
  t.is((await again()).text, made.text)
  t.is((await logOf(service)).filter(({ type }) => type === 'ListenPortAssigned').length, 1)
})

test('a duplicate waits for the first request and gets its answer, but for five seconds only', async (t) => {
  const gate = makeGate(isOfSut)
  const service = await startOver(t, gate.change)
  const first = create(service)
  await gate.reached
  t.is(said(await create(service)), '409 idempotency_in_progress')
  const second = create(service)
  gate.open()
  t.is((await first).status, 201)
  for (const again of [await second, await create(service)]) t.is(again.text, (await first).text)
})

test('only one of two requests that waited for a refused one with their key is recorded', async (t) => {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const UNKNOWN = '58c38f5d444553252cce0000'
  const service = await startOver(t, (store) => ({
    async *readStream(stream, after) {
      if (stream.endsWith(UNKNOWN)) {
        reached.resolve()
        await opened.promise
      }
      yield* store.readStream(stream, after)
    },
  }))
  const suts = [await createSut(service.as('admin')), await createSut(service.as('admin'))]
  const first = reserve(service.as('admin'), aReservation(UNKNOWN), KEY)
  await reached.promise
  const others = Promise.all(suts.map((sut) => reserve(service.as('admin'), aReservation(sut), KEY)))
  // They have arrived when requests sent after them on other connections are answered.
  for (let i = 0; i < 3; i++) await service.as('admin').get('/api/user/me')
  opened.resolve()
  t.is((await first).status, 404)
  t.deepEqual((await others).map(({ status }) => status).sort(), [201, 422])
})
