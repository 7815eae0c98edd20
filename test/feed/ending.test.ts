/** Heartbeats, ends and limits of streams. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { basic } from '../http/client.ts'
import { type Running, start } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { createSut, NOW } from '../http/requests.ts'
import { stopwatch, until } from '../http/until.ts'
import { startWithLog } from './log-file.ts'
import { eventsIn, LINES, type OpenStream, openStream, readEventStream, sequenceAt } from './readers.ts'
import { begin, write } from './writing.ts'

/** 24 MB, more than the buffers between a service and a reader on the same machine. */
const LARGE = { count: 1_200, characters: 4_000 }

/** A reader that requests everything and reads nothing. */
const stall = async (port: number, accept = 'text/event-stream'): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  const head = `Host: berth\r\nConnection: close\r\nAccept: ${accept}\r\nAuthorization: ${basic('audrey')}`
  socket.write(`GET /api/events HTTP/1.1\r\n${head}\r\n\r\n`)
  return socket
}

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
  const { messages } = await stream.until((so) => so.messages.at(-1)?.position === sequenceAt(4_204))
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

test('thorough: a stalled reader is disconnected, and 20 others receive everything', async (t) => {
  const service = await startWithLog(t, LARGE, { now: NOW, feed: { stallTimeout: 2_000, checkInterval: 50 } })
  const admin = service.as('admin')
  const sut = await createSut(admin)
  const first = LARGE.count + 6
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(service.port, `?after=${first}`)))
  const stalled = await stall(service.port)
  await write(admin, sut, 0, 40)
  for (const stream of streams) {
    const reading = await stream.until((so) => eventsIn(so).length >= 40)
    t.deepEqual(
      eventsIn(reading).map(({ position }) => position),
      Array.from({ length: 40 }, (_, n) => sequenceAt(first + 1 + n)),
    )
    stream.close()
  }
  await until('it is disconnected', async () => (await cutOffs(service, 'too_slow')) === 1, 20_000)
  // What it is told last waits for it as long as it may stall. Removes the framing of chunked transfer.
  const { messages } = readEventStream((await text(stalled)).replace(/\r\n[0-9a-f]+\r\n/g, ''))
  t.is(JSON.parse(messages.at(-1)?.data ?? '{}').code, 'too_slow')
  // Events that it does not read are not written to its connection.
  t.true(messages.length > 1 && messages.length < LARGE.count, `${messages.length}`)
})
