/** The service shows nothing before it is durable, not even in answers to reads. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { eventsIn, openStream } from '../../feed/readers.ts'
import { basic } from '../client.ts'
import { idOf, temporaryData } from '../harness.ts'
import { type Lab, lab, said } from '../lab.ts'
import { aReservation } from '../requests.ts'
import { exchange, openRaw } from '../server/raw-http.ts'
import { until } from '../until.ts'
import { changedStore } from './stores.ts'

interface Slow {
  readonly service: Lab
  /** Blocks all syncs from now on. */
  readonly hold: () => void
  /** Waits until an answer waits for a sync or has arrived, and returns whether it has arrived. */
  readonly hasArrived: (answer: Promise<unknown>) => Promise<boolean>
  readonly sync: () => void
  readonly fail: () => void
}

/** A service whose syncs the test controls. */
const stage = async (t: ExecutionContext): Promise<Slow> => {
  const data = await temporaryData(t)
  let syncing: PromiseWithResolvers<void> | undefined
  let waiting = Promise.withResolvers<void>()
  const synced = (): Promise<void> | undefined => {
    if (syncing !== undefined) waiting.resolve()
    return syncing?.promise
  }
  const openStore = changedStore(join(data, 'events.db'), () => ({ synced }))
  const service = await lab(t, { data, openStore })
  return {
    service,
    hold: () => {
      syncing = Promise.withResolvers()
      waiting = Promise.withResolvers()
    },
    hasArrived: async (answer) => {
      let hasArrived = false
      const arrived = answer.then(() => {
        hasArrived = true
      })
      await Promise.race([waiting.promise, arrived])
      // Anything written by now arrives before the answer to this request, which waits for nothing.
      await exchange(service.port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
      return hasArrived
    },
    sync: () => {
      syncing?.resolve()
      syncing = undefined
    },
    fail: () => syncing?.reject(new StoreUnavailable('the log cannot be synced')),
  }
}

test('a write is answered once it is durable', async (t) => {
  const { service, hold, hasArrived, sync } = await stage(t)
  hold()
  const answer = service.book('alice')
  t.false(await hasArrived(answer))
  sync()
  t.is((await answer).status, 201)
})

test('a read, an error and the head of a stream also wait until what they may show is durable', async (t) => {
  const { service, hold, hasArrived, sync } = await stage(t)
  const alice = service.as('alice')
  hold()
  const stream = openStream(service.port)
  const answers = [alice.get(`/api/sut/${service.sut}`), alice.get('/api/sut/none'), alice.get('/metrics')]
  t.false(await hasArrived(Promise.race([stream, ...answers])))
  sync()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  t.deepEqual(statuses, [200, 404, 403])
  ;(await stream).close()
})

test('health checks wait neither for a sync nor for a position', async (t) => {
  const { service, hold, hasArrived, sync } = await stage(t)
  hold()
  const write = service.book('alice')
  t.false(await hasArrived(write))
  for (const path of ['/health/live', '/health/ready']) {
    const headers = { 'Berth-After': '00000000000000001000' }
    t.true(await hasArrived(service.anyone.get(path, headers)), path)
    t.is((await service.anyone.get(path, headers)).status, 200)
  }
  sync()
  t.is((await write).status, 201)
})

test('a subscriber receives an event once it is durable', async (t) => {
  const { service, hold, hasArrived, sync } = await stage(t)
  const stream = await openStream(service.port)
  const before = eventsIn(await stream.until((reading) => eventsIn(reading).length > 0)).length
  hold()
  const answer = service.book('alice')
  const received = stream.until((reading) => eventsIn(reading).length > before)
  t.false(await hasArrived(Promise.race([received, answer])))
  sync()
  t.is(eventsIn(await received).at(-1)?.kind, 'berth.ReservationCreated')
  t.is((await answer).status, 201)
  stream.close()
})

test('after a failed sync a write is outcome_unknown and a read is unavailable', async (t) => {
  const { service, hold, hasArrived, fail } = await stage(t)
  hold()
  const write = service.book('alice')
  const read = service.as('alice').get(`/api/sut/${service.sut}`)
  t.false(await hasArrived(Promise.race([write, read])))
  fail()
  t.is(said(await write), '503 outcome_unknown')
  t.is(said(await read), '503 unavailable')
})

test('a stream that has sent durable events counts as answered, despite a later sync failure', async (t) => {
  const { service, hold, hasArrived, fail } = await stage(t)
  const stream = await openStream(service.port)
  await stream.until((reading) => eventsIn(reading).length > 0)
  hold()
  const write = service.book('alice')
  t.false(await hasArrived(write))
  fail()
  await write
  stream.close()
  const summary = () => service.answered.find(({ route }) => route === '/api/events')
  await until('the stream ends', async () => summary() !== undefined, 5_000)
  t.deepEqual([summary()?.status, summary()?.code], [200, undefined])
})

test('a client that disconnects before its answer affects no one, and its write is recorded', async (t) => {
  const { service, hold, hasArrived, sync } = await stage(t)
  hold()
  const body = JSON.stringify(aReservation(service.sut))
  const connection = await openRaw(service.port)
  connection.send(
    `POST /api/sut_reservation/create HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('alice')}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  t.false(await hasArrived(connection.answer()))
  connection.reset()
  t.is((await exchange(service.port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'))?.status, 400)
  sync()
  t.is(said(await service.book('admin', {}, { user_id: idOf('alice') })), '409 reservation_conflict')
  t.deepEqual(
    service.log.filter(({ level }) => level !== 'info'),
    [],
  )
})
