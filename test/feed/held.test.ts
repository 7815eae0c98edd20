/** Event streams while the service is not ready. They are held, because browsers never retry after an error response. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { EventSource } from 'eventsource'
import { freePort } from '../gateway/peers.ts'
import { basic } from '../http/client.ts'
import { type Running, type Setting, start, temporaryData } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { createSut, NOW } from '../http/requests.ts'
import { makeHold } from '../http/store/held-views.ts'
import { changedStore } from '../http/store/stores.ts'
import { until } from '../http/until.ts'
import { eventsIn, LINES, openStream, sequenceAt } from './readers.ts'

/** A service whose views are paused before they have read the log. */
const startHeld = async (t: ExecutionContext, data: string, setting: Setting = {}) => {
  const { hold, letGo, change } = makeHold()
  hold()
  const openStore = changedStore(join(data, 'events.db'), change)
  const service = await start(t, { now: NOW, data, openStore, ...setting })
  t.is((await service.anyone.get('/health/ready')).status, 503)
  t.teardown(letGo)
  return { service, letGo }
}

/** Creates a log with SUTs; returns the position of its last event. */
const makeLog = async (t: ExecutionContext, data: string, suts = 3): Promise<string> => {
  const service = await start(t, { now: NOW, data })
  for (let i = 0; i < suts; i++) await createSut(service.as('admin'))
  const { json } = await service.as('admin').get('/api/events?limit=1000')
  await service.stop()
  return String(json.next)
}

/** A standard EventSource with credentials, the positions it received and its errors. It connects when it may. */
const browse = (t: ExecutionContext, { port }: Pick<Running, 'port'>, mayConnect = () => Promise.resolve()) => {
  const got: string[] = []
  const errors: (number | undefined)[] = []
  const source = new EventSource(`http://127.0.0.1:${port}/api/events`, {
    fetch: async (url, init) => {
      await mayConnect()
      return fetch(url, { ...init, headers: { ...init.headers, Authorization: basic('audrey') } })
    },
  })
  for (const type of ['SutCreated', 'ListenPortAssigned', 'LogVersionSet', 'UserAdded']) {
    source.addEventListener(`berth.${type}`, ({ lastEventId }) => got.push(lastEventId))
  }
  source.addEventListener('error', ({ code }) => errors.push(code))
  t.teardown(() => source.close())
  return { source, got, errors }
}

const positionsUpTo = (last: string): readonly string[] =>
  Array.from({ length: Number(last) + 1 }, (_, position) => sequenceAt(position))

test('a browser that connects before the service is ready waits and then receives everything', async (t) => {
  const data = await temporaryData(t)
  const last = await makeLog(t, data)
  const { service, letGo } = await startHeld(t, data)
  const { source, got, errors } = browse(t, service)
  await until('the stream is open', async () => source.readyState === EventSource.OPEN, 60_000)
  t.deepEqual(got, [])
  letGo()
  await until('all events are received', async () => got.at(-1) === last, 60_000)
  t.deepEqual(got, positionsUpTo(last))
  await createSut(service.as('admin'))
  await until('live events', async () => got.length === Number(last) + 3, 60_000)
  t.deepEqual(errors, [])
})

test('a browser that reconnects before the service is ready resumes at its position', async (t) => {
  const data = await temporaryData(t)
  // A port that no other service is given between the two.
  const environment = { BERTH_PORT: String(await freePort()) }
  const first = await start(t, { now: NOW, data, environment })
  await createSut(first.as('admin'))
  let mayConnect = Promise.resolve()
  const { source, got } = browse(t, first, () => mayConnect)
  await until('existing events', async () => got.length >= 2, 60_000)
  // A service that has bound its port, and nothing else yet, answers with an error, after which browsers do not retry.
  const started = Promise.withResolvers<void>()
  mayConnect = started.promise
  await first.stop()
  const last = await makeLog(t, data)
  const { letGo } = await startHeld(t, data, { environment })
  started.resolve()
  await until('the browser has reconnected', async () => source.readyState === EventSource.OPEN, 60_000)
  letGo()
  await until('all events are received', async () => got.at(-1) === last, 60_000)
  t.deepEqual(got, positionsUpTo(last))
})

test('a held stream sends heartbeats and ends with the service', async (t) => {
  const data = await temporaryData(t)
  await makeLog(t, data)
  const { service } = await startHeld(t, data, { feed: { heartbeat: 20, checkInterval: 10 } })
  const stream = await openStream(service.port, '?type=SutCreated')
  t.deepEqual([stream.status, stream.headers['berth-position']], [200, undefined])
  const { messages, retry } = await stream.until(({ beats }) => beats >= 5)
  t.deepEqual([messages, Number(retry) >= 1_000], [[], true])
  await service.stop()
  t.is(await stream.ended, 'whole')
  t.deepEqual(
    stream.reading().messages.map(({ kind, position }) => [kind, position]),
    [['error', undefined]],
  )
})

test('held streams are limited, a closed one makes room, and wrong requests are refused at once', async (t) => {
  const data = await temporaryData(t)
  await makeLog(t, data)
  const { service, letGo } = await startHeld(t, data, { feed: { held: 2, checkInterval: 10 } })
  const headers = { Accept: 'text/event-stream' }
  const streams = [await openStream(service.port), await openStream(service.port)]
  for (let i = 0; i < 3; i++) {
    const refused = await service.as('audrey').get('/api/events', headers)
    t.deepEqual([refusalOf(refused), faultsOf(refused)], [[503, 'unavailable'], []])
  }
  t.is((await service.as('audrey').get('/api/events?surprise=1', headers)).status, 422)
  t.is((await service.as('alice').get('/api/events', headers)).status, 403)
  for (const Accept of [LINES, 'application/json']) {
    t.is((await service.as('audrey').get('/api/events', { Accept })).status, 503, Accept)
  }
  streams[0]?.close()
  const isLetIn = async () => (await service.as('audrey').request('HEAD', '/api/events', headers)).status === 200
  await until('there is room', isLetIn, 5_000)
  for (let i = 0; i < 3; i++) t.true(await isLetIn())
  letGo()
  await streams[1]?.until((reading) => eventsIn(reading).length >= 10)
  // Streams that have started no longer count as held.
  const more = await Promise.all([1, 2, 3].map(() => openStream(service.port)))
  for (const stream of more) await stream.until((reading) => eventsIn(reading).length >= 10)
})

test('a held stream from a position beyond the log ends with another_log', async (t) => {
  const data = await temporaryData(t)
  await makeLog(t, data)
  const { service, letGo } = await startHeld(t, data, { feed: { checkInterval: 10 } })
  const stream = await openStream(service.port, '?after=999')
  letGo()
  t.is(await stream.ended, 'whole')
  t.regex(stream.text(), /"code":"another_log"/)
})
