import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { formatPosition } from '../../src/domain/values/position.ts'
import type { UserRecord } from '../../src/users/users-file.ts'
import { type Running, start } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { leaks } from '../http/secrets/canary.ts'
import { canary } from '../http/secrets/secret-requests.ts'
import { until } from '../http/until.ts'
import { cheapHash, fileOf } from '../users/builders.ts'
import { crowdAround, LARGE, stall } from './crowd.ts'
import { startWithLog } from './log-file.ts'
import { eventsIn, LINES, type OpenStream, openStream } from './readers.ts'
import { begin, windowOf, write } from './writing.ts'

/** How streams live and end, and how many there may be. */

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
  const { kind, data } = reading().told.at(-1) ?? {}
  if (kind !== 'error') return kind
  const { code, error } = JSON.parse(data as string)
  return code ?? error.code
}

test('a quiet stream shows signs of life, and a filtered one how far it has come', async (t) => {
  const service = await start(t, { now: NOW, feed: { heartbeat: 30, checkInterval: 5 } })
  const [sut] = await begin(service.as('admin'), 4)
  const query = '?follow=true&type=SutRetired'
  for (const accept of ['text/event-stream', LINES]) {
    const [all, none] = [
      await openStream(service.port, '?follow=true', { accept }),
      await openStream(service.port, query, { accept }),
    ]
    const quiet = await all.until(({ beats }) => beats >= 3)
    t.is(eventsIn(quiet).length, quiet.told.length)
    const before = (await none.until(({ told }) => told.length > 0)).told.at(-1)
    t.deepEqual([before?.kind, before?.position], ['checkpoint', quiet.told.at(-1)?.position])
    await write(service.as('admin'), sut, accept === LINES ? 9 : 4, 1)
    const { told } = await none.until((so) => so.told.length > 1)
    t.is(told.at(-1)?.position, formatPosition(Number(before?.position) + 1))
    t.true(told.every(({ kind }) => kind === 'checkpoint'))
    for (const stream of [all, none]) stream.close()
  }
})

test('a reader that wants few of many events is told how far it has come before it has caught up', async (t) => {
  const service = await startWithLog(t, { count: 4_200, characters: 1 }, { now: NOW, feed: { heartbeat: 60_000 } })
  const stream = await openStream(service.port, '?type=SutRetired')
  const { told } = await stream.until((so) => so.told.at(-1)?.position === formatPosition(4_200))
  t.deepEqual([...new Set(told.map(({ kind }) => kind))], ['checkpoint'])
  t.true(told.length >= 4 && told.length <= 6, `${told.length} checkpoints`)
  stream.close()
})

test('a stream counts as long as it is open, and its line in the log comes at its end', async (t) => {
  const service = await start(t, { now: NOW })
  const stream = await openStream(service.port)
  t.is(await subscribers(service), 1)
  const isFeed = ({ route }: { readonly route: string }): boolean => route === '/api/events'
  t.false(service.answered.some(isFeed))
  await createSut(service.as('admin'))
  stream.close()
  await until('it has gone', async () => (await subscribers(service)) === 0, 5_000)
  const line = service.answered.find(isFeed)
  t.deepEqual([line?.status, line?.user?.role], [200, 'auditor'])
  t.is(await cutOffs(service, 'too_slow'), 0)
})

test('a user may have so many streams and all together so many; who is refused is let in when another leaves', async (t) => {
  const service = await start(t, { now: NOW, feed: { ofUser: 2, ofAll: 3 } })
  const streams = [await openStream(service.port), await openStream(service.port, '?follow=true', { accept: LINES })]
  const third = await service.as('audrey').get('/api/events', { Accept: LINES })
  t.deepEqual(refusalOf(third), [429, 'too_many_subscribers'])
  t.deepEqual(faultsOf(third), [])
  streams.push(await openStream(service.port, '', { name: 'admin' }))
  const fourth = await service.as('admin').get('/api/events', { Accept: LINES })
  t.deepEqual([refusalOf(fourth), faultsOf(fourth)], [[503, 'unavailable'], []])
  t.is((await service.as('audrey').get('/api/events')).status, 200, 'pages are no streams')
  for (let i = 0; i < 3; i++) {
    t.is((await service.as('audrey').request('HEAD', '/api/events', { Accept: LINES })).status, 429)
  }
  streams[0]?.close()
  await until('one has gone', async () => (await subscribers(service)) === 2, 5_000)
  for (let i = 0; i < 3; i++) {
    t.is((await service.as('audrey').request('HEAD', '/api/events', { Accept: LINES })).status, 200)
  }
  t.is((await service.as('audrey').get('/api/events', { Accept: LINES })).status, 200)
})

test('streams end within 2 s when their user is removed, loses the role or changes the password, and no others', async (t) => {
  const service = await start(t, { now: NOW })
  const path = join(service.data, 'users.json')
  const { users } = JSON.parse(await readFile(path, 'utf8')) as { users: readonly UserRecord[] }
  const audrey = users.find(({ name }) => name === 'audrey') as UserRecord
  const more = ['gone', 'demoted', 'renewed'].map((name) => ({ ...audrey, _id: `id-of-${name}`, name }))
  const records = await Promise.all(
    more.map(async (user) => ({ ...user, password: await cheapHash(`correct horse ${user.name}`) })),
  )
  await writeFile(path, fileOf([...users, ...records]))
  const knows = async (name: string): Promise<boolean> => (await service.as(name).get('/api/user/me')).status === 200
  await until(
    'they are known',
    async () => (await Promise.all(more.map(({ name }) => knows(name)))).every(Boolean),
    5_000,
  )
  const streams = await Promise.all(
    ['audrey', 'gone', 'demoted', 'renewed'].map((name) => openStream(service.port, '', { name })),
  )
  const [, demoted, renewed] = records as [UserRecord, UserRecord, UserRecord]
  const began = performance.now()
  const now = [
    { ...demoted, role: 'tester' as const },
    { ...renewed, password: await cheapHash('another one') },
  ]
  await writeFile(path, fileOf([...users, ...now]))
  t.deepEqual(await Promise.all(streams.slice(1).map(({ ended }) => ended)), ['whole', 'whole', 'whole'])
  t.true(performance.now() - began < 2_000)
  t.deepEqual(streams.map(lastError), ['berth.StoreUpgraded', 'user_changed', 'user_changed', 'user_changed'])
  t.is(await cutOffs(service, 'user_changed'), 3)
  await createSut(service.as('admin'))
  await streams[0]?.until((so) => eventsIn(so).length === 3)
})

test('when the service stops, streams end with an event that says so, and nobody who reads nothing is waited for', async (t) => {
  const service = await startWithLog(t, LARGE, { now: NOW })
  const streams = [
    await openStream(service.port, '?type=SutRetired'),
    await openStream(service.port, '?follow=true&type=SutRetired', { accept: LINES }),
  ]
  // Neither a stream nor what would be whole is read by these.
  for (const accept of ['text/event-stream', LINES]) await stall(service.port, accept)
  await until('all are there', async () => (await subscribers(service)) === 4, 5_000)
  // When somebody has read everything, they have been given what they hold.
  await service.as('audrey').get('/api/events', { Accept: LINES })
  const began = performance.now()
  await service.stop()
  t.true(performance.now() - began < 5_000)
  t.deepEqual(await Promise.all(streams.map(({ ended }) => ended)), ['whole', 'whole'])
  t.deepEqual(streams.map(lastError), ['stopping', 'stopping'])
})

test('beside 50 readers one that reads nothing is cut off, and the others are told everything', async (t) => {
  const { stalled, told, problems } = await crowdAround(t, { readers: 50, writes: 40, pause: 5, patience: 1_500 })
  t.deepEqual(problems, [])
  t.is(told, 50 * 40)
  t.is(stalled.why, 'too_slow')
  // What it does not take is not written for it.
  t.true(stalled.events > 0 && stalled.events < LARGE.count, `${stalled.events}`)
})

test('no secret is told in any form of the feed', async (t) => {
  const own = await start(t, { now: NOW })
  const [password, userName, key] = [canary(), canary(), canary().slice(0, 60)]
  const sut = await createSut(own.as('admin'), { password, user_name: userName })
  await own
    .as('admin')
    .post('/api/sut_reservation/create', aReservation(sut), { 'Idempotency-Key': encodeURIComponent(key) })
  await reserved(own.as('admin'), aReservation(sut, windowOf(1)))
  const stream = await openStream(own.port)
  await stream.until((so) => eventsIn(so).length === 5)
  const texts = [stream.text(), (await own.as('audrey').get('/api/events')).text]
  texts.push((await own.as('audrey').get('/api/events', { Accept: LINES })).text)
  const sought = { password: Buffer.from(password), userName: Buffer.from(userName), key: Buffer.from(key) }
  const places = texts.map((text, i) => ({ name: `form ${i}`, bytes: Buffer.from(text) }))
  t.deepEqual(leaks(sought, places), [])
  const found = leaks({ sut: Buffer.from(sut) }, places).filter((leak) => leak.startsWith('sut plain'))
  t.is(found.length, 3, 'the same search finds what is there')
})
