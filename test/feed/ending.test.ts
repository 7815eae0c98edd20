import test from 'ava'
import { passwordOf } from '../http/client.ts'
import { idOf, type Running, start } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { leaks } from '../http/secrets/canary.ts'
import { canary } from '../http/secrets/secret-requests.ts'
import { stopwatch, until } from '../http/until.ts'
import { crowdAround, LARGE, stall } from './crowd.ts'
import { startWithLog } from './log-file.ts'
import { eventsIn, LINES, type OpenStream, openStream, sequenceAt } from './readers.ts'
import { begin, windowOf, write } from './writing.ts'

/** Heartbeats, ends and limits of streams. */

const sample = async (service: Running, name: string): Promise<number> => {
  const { text } = await service.as('admin').get('/metrics')
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}
const subscribers = (service: Running): Promise<number> => sample(service, 'berth_feed_subscribers')
const cutOffs = (service: Running, why: string): Promise<number> =>
  sample(service, `berth_feed_cut_offs_total{why="${why}"}`)

const lastError = ({ reading }: OpenStream): unknown => {
  const { kind, data } = reading().messages.at(-1) ?? {}
  if (kind !== 'error') return kind
  const { code, error } = JSON.parse(data as string)
  return code ?? error.code
}

test('a quiet stream sends heartbeats, and a filtered one checkpoints', async (t) => {
  const service = await start(t, { now: NOW, feed: { heartbeat: 30, checkInterval: 5 } })
  const [sut] = await begin(service.as('admin'), 4)
  const query = '?follow=true&type=SutRetired'
  for (const accept of ['text/event-stream', LINES]) {
    const [all, none] = [
      await openStream(service.port, '?follow=true', { accept }),
      await openStream(service.port, query, { accept }),
    ]
    const quiet = await all.until(({ beats }) => beats >= 3)
    t.is(eventsIn(quiet).length, quiet.messages.length)
    const before = (await none.until(({ messages }) => messages.length > 0)).messages.at(-1)
    t.deepEqual([before?.kind, before?.position], ['checkpoint', quiet.messages.at(-1)?.position])
    await write(service.as('admin'), sut, accept === LINES ? 9 : 4, 1)
    const { messages } = await none.until((so) => so.messages.length > 1)
    t.is(messages.at(-1)?.position, sequenceAt(Number(before?.position) + 1))
    t.true(messages.every(({ kind }) => kind === 'checkpoint'))
    for (const stream of [all, none]) stream.close()
  }
})

test('thorough: a filtered reader receives checkpoints before it has caught up', async (t) => {
  const service = await startWithLog(t, { count: 4_200, characters: 1 }, { now: NOW, feed: { heartbeat: 60_000 } })
  const stream = await openStream(service.port, '?type=SutRetired')
  const { messages } = await stream.until((so) => so.messages.at(-1)?.position === sequenceAt(4_205))
  t.deepEqual([...new Set(messages.map(({ kind }) => kind))], ['checkpoint'])
  t.true(messages.length >= 4 && messages.length <= 6, `${messages.length} checkpoints`)
  stream.close()
})

test('a stream is counted while open and logged when it ends', async (t) => {
  const service = await start(t, { now: NOW })
  const stream = await openStream(service.port)
  t.is(await subscribers(service), 1)
  const isFeed = ({ route }: { readonly route: string }): boolean => route === '/api/events'
  t.false(service.answered.some(isFeed))
  await createSut(service.as('admin'))
  stream.close()
  await until('the stream is gone', async () => (await subscribers(service)) === 0, 5_000)
  const line = service.answered.find(isFeed)
  t.deepEqual([line?.status, line?.user?.role], [200, 'auditor'])
  t.is(await cutOffs(service, 'too_slow'), 0)
})

test('streams are limited per user and in total, and a closed stream makes room', async (t) => {
  const service = await start(t, { now: NOW, feed: { perUser: 2, total: 3 } })
  const streams = [await openStream(service.port), await openStream(service.port, '?follow=true', { accept: LINES })]
  const third = await service.as('audrey').get('/api/events', { Accept: LINES })
  t.deepEqual(refusalOf(third), [429, 'too_many_subscribers'])
  t.deepEqual(faultsOf(third), [])
  streams.push(await openStream(service.port, '', { name: 'admin' }))
  const fourth = await service.as('admin').get('/api/events', { Accept: LINES })
  t.deepEqual([refusalOf(fourth), faultsOf(fourth)], [[503, 'unavailable'], []])
  t.is((await service.as('audrey').get('/api/events')).status, 200, 'pages do not count as streams')
  for (let i = 0; i < 3; i++) {
    t.is((await service.as('audrey').request('HEAD', '/api/events', { Accept: LINES })).status, 429)
  }
  streams[0]?.close()
  await until('one stream is gone', async () => (await subscribers(service)) === 2, 5_000)
  for (let i = 0; i < 3; i++) {
    t.is((await service.as('audrey').request('HEAD', '/api/events', { Accept: LINES })).status, 200)
  }
  t.is((await service.as('audrey').get('/api/events', { Accept: LINES })).status, 200)
})

test('only the streams of a removed or demoted user or one with a new password end, within 2 s', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const ids = await Promise.all(
    ['gone', 'demoted', 'renewed'].map(async (name) => {
      const body = { name, role: 'auditor', password: passwordOf(name) }
      return String((await admin.post('/api/user/create', body)).json._id)
    }),
  )
  const streams = await Promise.all(
    ['audrey', 'gone', 'demoted', 'renewed'].map((name) => openStream(service.port, '', { name })),
  )
  for (const stream of streams) await stream.until((so) => eventsIn(so).length === 9)
  const taken = stopwatch()
  const [gone, demoted, renewed] = ids
  const changes = await Promise.all([
    admin.post(`/api/user/${gone}/remove`, { reservations: 'keep' }),
    admin.post(`/api/user/${demoted}/update`, { role: 'tester' }),
    admin.post(`/api/user/${renewed}/password`, { password: 'another one' }),
    admin.post(`/api/user/${idOf('audrey')}/update`, { name: 'Audrey' }),
  ])
  t.deepEqual(
    changes.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.deepEqual(await Promise.all(streams.slice(1).map(({ ended }) => ended)), ['whole', 'whole', 'whole'])
  t.true(taken() < 2_000)
  t.deepEqual(streams.slice(1).map(lastError), ['user_changed', 'user_changed', 'user_changed'])
  t.is(await cutOffs(service, 'user_changed'), 3)
  await createSut(admin)
  await streams[0]?.until((so) => eventsIn(so).length === 15)
})

test('thorough: at shutdown, streams end with a "stopping" event, without waiting for stalled readers', async (t) => {
  const service = await startWithLog(t, LARGE, { now: NOW })
  const streams = [
    await openStream(service.port, '?type=SutRetired'),
    await openStream(service.port, '?follow=true&type=SutRetired', { accept: LINES }),
  ]
  // Two stalled readers: a stream and a complete response.
  for (const accept of ['text/event-stream', LINES]) await stall(service.port, accept)
  await until('all streams are open', async () => (await subscribers(service)) === 4, 5_000)
  // Once this complete read has ended, the stalled ones have filled their buffers.
  await service.as('audrey').get('/api/events', { Accept: LINES })
  const taken = stopwatch()
  await service.stop()
  t.true(taken() < 5_000)
  t.deepEqual(await Promise.all(streams.map(({ ended }) => ended)), ['whole', 'whole'])
  t.deepEqual(streams.map(lastError), ['stopping', 'stopping'])
})

test('thorough: with 50 readers, a stalled one is disconnected and the others receive everything', async (t) => {
  const { stalled, received, problems } = await crowdAround(t, {
    readers: 50,
    writes: 40,
    pause: 5,
    stallTimeout: 5_000,
  })
  t.deepEqual(problems, [])
  t.is(received, 50 * 40)
  t.is(stalled.why, 'too_slow')
  // Events that it does not read are not written to its connection.
  t.true(stalled.events > 0 && stalled.events < LARGE.count, `${stalled.events}`)
})

test('no format of the feed contains a secret', async (t) => {
  const own = await start(t, { now: NOW })
  const [password, userName, key] = [canary(), canary(), canary().slice(0, 60)]
  const sut = await createSut(own.as('admin'), { password, user_name: userName })
  await own
    .as('admin')
    .post('/api/sut_reservation/create', aReservation(sut), { 'Idempotency-Key': encodeURIComponent(key) })
  await reserved(own.as('admin'), aReservation(sut, windowOf(1)))
  const stream = await openStream(own.port)
  await stream.until((so) => eventsIn(so).length === 10)
  const texts = [stream.text(), (await own.as('audrey').get('/api/events')).text]
  texts.push((await own.as('audrey').get('/api/events', { Accept: LINES })).text)
  const sought = { password: Buffer.from(password), userName: Buffer.from(userName), key: Buffer.from(key) }
  const places = texts.map((text, i) => ({ name: `form ${i}`, bytes: Buffer.from(text) }))
  t.deepEqual(leaks(sought, places), [])
  const found = leaks({ sut: Buffer.from(sut) }, places).filter((leak) => leak.startsWith('sut plain'))
  t.is(found.length, 3, 'control: the same search finds an id')
})
