import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { type Running, start, temporaryData } from '../../http/harness.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../../http/requests.ts'
import { logOf } from '../../http/store/log-rows.ts'
import { changedStore } from '../../http/store/stores.ts'

type Read = 'head' | 'readStream' | 'subscribe'

interface Setting {
  readonly service: Running
  /** Makes these reads of the store fail from now on. */
  readonly fail: (...reads: readonly Read[]) => void
}

const failure = (): StoreUnavailable => new StoreUnavailable('the disk does not answer')

/** A service whose store can be made unreadable. Appends still work. */
const aService = async (t: ExecutionContext): Promise<Setting> => {
  const data = await temporaryData(t)
  let failing: readonly Read[] = []
  const unreadable = (store: EventStore): Partial<EventStore> => ({
    head: async () => {
      if (failing.includes('head')) throw failure()
      return store.head()
    },
    async *readStream(stream, after) {
      if (failing.includes('readStream')) throw failure()
      yield* store.readStream(stream, after)
    },
    async *subscribe(after, signal) {
      if (failing.includes('subscribe')) throw failure()
      for await (const batch of store.subscribe(after, signal)) {
        if (failing.includes('subscribe')) throw failure()
        yield batch
      }
    },
  })
  const openStore = changedStore(join(data, 'events.db'), unreadable)
  const service = await start(t, { now: NOW, data, openStore })
  return {
    service,
    fail: (...reads) => {
      failing = reads
    },
  }
}

const NO_ID = 'ffffffffffffffffffffffff'

test('while the head of the store is unreadable, an unknown id is 503, not 404', async (t) => {
  const { service, fail } = await aService(t)
  const admin = service.as('admin')
  const id = await createSut(admin)
  fail('head')
  t.like(await admin.get(`/api/sut_reservation/${NO_ID}`), { status: 503, json: { code: 'unavailable' } })
  // Known objects can still be read.
  t.is((await admin.get(`/api/sut/${id}`)).status, 200)
  fail()
  t.is((await admin.get(`/api/sut_reservation/${NO_ID}`)).status, 404)
})

test('while a stream is unreadable, cached states accept commands but never refuse them', async (t) => {
  const { service, fail } = await aService(t)
  const admin = service.as('admin')
  const sut = await createSut(admin)
  await reserved(admin, aReservation(sut))
  fail('readStream')
  const later = { start_time: '2030-05-02T07:00:00Z', end_time: '2030-05-02T07:15:00Z' }
  t.is((await reserve(admin, aReservation(sut, later))).status, 201)
  t.like(await reserve(admin, aReservation(sut)), { status: 503, json: { code: 'unavailable' } })
  fail()
  t.is((await reserve(admin, aReservation(sut))).status, 409)
})

test('a write whose response cannot be read is outcome_unknown, and its retry gets the response', async (t) => {
  const { service, fail } = await aService(t)
  const admin = service.as('admin')
  const sut = await createSut(admin)
  const key = { 'Idempotency-Key': 'once' }
  fail('subscribe', 'readStream')
  const lost = await reserve(admin, aReservation(sut), key)
  t.like(lost, { status: 503, json: { code: 'outcome_unknown' } })
  fail()
  const again = await reserve(admin, aReservation(sut), key)
  t.is(again.status, 201)
  const recorded = (await logOf(service)).filter(({ type }) => type === 'ReservationCreated')
  t.deepEqual(
    recorded.map(({ data }) => data._id),
    [again.json._id],
  )
  t.is(service.log.filter(({ sentence }) => sentence === 'the event store cannot be read').length, 1)
})
