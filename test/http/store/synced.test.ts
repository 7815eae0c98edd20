import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { eventsIn, openStream } from '../../feed/readers.ts'
import { basic } from '../client.ts'
import { dataWithPeople, type Running, start } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserve } from '../requests.ts'
import { exchange, openRaw } from '../server/raw-http.ts'
import { until } from '../until.ts'
import { changedStore } from './stores.ts'

/** Nothing leaves the service before the log has it on the disk, not even in the answer to who only reads. */

interface Slow {
  readonly service: Running
  /** From now on nothing comes to the disk. */
  readonly hold: () => void
  /** Waits until an answer waits, or one has come. */
  readonly isTold: (answer: Promise<unknown>) => Promise<boolean>
  readonly sync: () => void
  readonly fail: () => void
}

/** A service whose log is synced when the test says so. */
const stage = async (t: ExecutionContext): Promise<Slow> => {
  const data = await dataWithPeople(t)
  let syncing: PromiseWithResolvers<void> | undefined
  let asked = Promise.withResolvers<void>()
  const synced = (): Promise<void> | undefined => {
    if (syncing !== undefined) asked.resolve()
    return syncing?.promise
  }
  const openStore = changedStore(join(data, 'events.db'), () => ({ synced }))
  const service = await start(t, { now: NOW, data, openStore })
  return {
    service,
    hold: () => {
      syncing = Promise.withResolvers()
      asked = Promise.withResolvers()
    },
    isTold: async (answer) => {
      let isTold = false
      const told = answer.then(() => {
        isTold = true
      })
      await Promise.race([asked.promise, told])
      // What has been written by now comes before the answer to this, which tells of nothing and waits for nothing.
      await exchange(service.port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
      return isTold
    },
    sync: () => {
      syncing?.resolve()
      syncing = undefined
    },
    fail: () => syncing?.reject(new StoreUnavailable('the log cannot be synced')),
  }
}

test('a write is answered when it is on the disk', async (t) => {
  const { service, hold, isTold, sync } = await stage(t)
  const sut_id = await createSut(service.as('admin'))
  hold()
  const answer = reserve(service.as('alice'), aReservation(sut_id))
  t.false(await isTold(answer))
  sync()
  t.is((await answer).status, 201)
})

test('a read, a refusal and the head of a stream may show what is not on the disk yet, and wait for it too', async (t) => {
  const { service, hold, isTold, sync } = await stage(t)
  const alice = service.as('alice')
  const sut_id = await createSut(service.as('admin'))
  hold()
  const stream = openStream(service.port)
  const answers = [alice.get(`/api/sut/${sut_id}`), alice.get('/api/sut/none'), alice.get('/metrics')]
  t.false(await isTold(Promise.race([stream, ...answers])))
  sync()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  t.deepEqual(statuses, [200, 404, 403])
  ;(await stream).close()
})

test('health checks wait neither for the disk nor for a position', async (t) => {
  const { service, hold, isTold, sync } = await stage(t)
  const sut_id = await createSut(service.as('admin'))
  hold()
  const write = reserve(service.as('alice'), aReservation(sut_id))
  t.false(await isTold(write))
  for (const path of ['/health/live', '/health/ready']) {
    const headers = { 'Berth-After': '00000000000000001000' }
    t.true(await isTold(service.anyone.get(path, headers)), path)
    t.is((await service.anyone.get(path, headers)).status, 200)
  }
  sync()
  t.is((await write).status, 201)
})

test('a subscriber is told of an event when it is on the disk', async (t) => {
  const { service, hold, isTold, sync } = await stage(t)
  const sut_id = await createSut(service.as('admin'))
  const stream = await openStream(service.port)
  const before = eventsIn(await stream.until((reading) => eventsIn(reading).length > 0)).length
  hold()
  const answer = reserve(service.as('alice'), aReservation(sut_id))
  const told = stream.until((reading) => eventsIn(reading).length > before)
  t.false(await isTold(Promise.race([told, answer])))
  sync()
  t.is(eventsIn(await told).at(-1)?.kind, 'berth.ReservationCreated')
  t.is((await answer).status, 201)
  stream.close()
})

test('what cannot be brought to the disk is not acknowledged: a write may have been recorded, a read is to be tried again', async (t) => {
  const { service, hold, isTold, fail } = await stage(t)
  const sut_id = await createSut(service.as('admin'))
  hold()
  const write = reserve(service.as('alice'), aReservation(sut_id))
  const read = service.as('alice').get(`/api/sut/${sut_id}`)
  t.false(await isTold(Promise.race([write, read])))
  fail()
  t.deepEqual(refusalOf(await write), [503, 'outcome_unknown'])
  t.deepEqual(refusalOf(await read), [503, 'unavailable'])
})

test('a stream that told what was on the disk counts as answered, though the log cannot be synced any more', async (t) => {
  const { service, hold, isTold, fail } = await stage(t)
  const sut_id = await createSut(service.as('admin'))
  const stream = await openStream(service.port)
  await stream.until((reading) => eventsIn(reading).length > 0)
  hold()
  const write = reserve(service.as('alice'), aReservation(sut_id))
  t.false(await isTold(write))
  fail()
  await write
  stream.close()
  const told = () => service.answered.find(({ route }) => route === '/api/events')
  await until('it has ended', async () => told() !== undefined, 5_000)
  t.deepEqual([told()?.status, told()?.code], [200, undefined])
})

test('clients that go away before their answer can be given take nobody with them, and what they asked for is recorded', async (t) => {
  const { service, hold, isTold, sync } = await stage(t)
  const sut_id = await createSut(service.as('admin'))
  hold()
  const body = JSON.stringify(aReservation(sut_id))
  const connection = await openRaw(service.port)
  connection.send(
    `POST /api/sut_reservation/create HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('alice')}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  t.false(await isTold(connection.answer()))
  connection.reset()
  t.is((await exchange(service.port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'))?.status, 400)
  sync()
  t.deepEqual(refusalOf(await reserve(service.as('admin'), aReservation(sut_id))), [409, 'reservation_conflict'])
  t.deepEqual(
    service.log.filter(({ level }) => level !== 'info'),
    [],
  )
})
