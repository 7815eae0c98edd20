import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { pooledHex } from '../../../src/app/open-core.ts'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { type ListenOptions, listen, type Timeouts } from '../../../src/http/server/listen.ts'
import { connectTo } from '../client.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { until } from '../until.ts'
import { BODY, drip, open, request } from './dripping.ts'
import { exchange, openRaw } from './raw-http.ts'

/** For tests of timeouts: long enough for other requests on a busy machine. */
const SHORT = { headers: 1_500, request: 2_000, answer: 1_000, checkInterval: 50 }
/** More than the socket buffers of both sides can hold. */
const LARGE = `"${'x'.repeat(16 * 1024 * 1024)}"`

/** A server that echoes a body, returns a large answer, or waits for `goOn`. */
const serve = async (t: ExecutionContext, timeouts: Partial<Timeouts> = SHORT, more: Partial<ListenOptions> = {}) => {
  const begun: string[] = []
  const ended: string[] = []
  const gate = Promise.withResolvers<void>()
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? ''
    begun.push(url)
    response.once('close', () => ended.push(response.writableFinished ? url : `${url} cut off`))
    if (url.startsWith('/wait')) await gate.promise
    const body = request.method === 'POST' && url !== '/unread' ? await text(request).catch(() => 'none') : url
    const answer = url === '/large' ? LARGE : JSON.stringify(body)
    response.setHeader('Content-Type', 'application/json')
    response.setHeader('Content-Length', Buffer.byteLength(answer))
    response.end(answer)
  }
  const randomHex = pooledHex((size) => new Uint8Array(size))
  const addresses = makeClientAddresses([])
  const clock = () => 0
  const options = { host: '127.0.0.1', port: 0, clock, randomHex, addresses, timeouts, ...more }
  const listening = await listen(handle, options)
  t.teardown(() => listening.close(0))
  return { ...listening, begun, ended, goOn: gate.resolve }
}

const dripping: Readonly<Record<string, readonly [start: string, bytes: string, others?: number]>> = {
  'the request line': ['GET /', 'a'],
  'the header fields': ['GET / HTTP/1.1\r\n', 'A: b\r\n'],
  'the body': [BODY, ' '],
  'the body in chunks': [BODY.replace('Content-Length: 100000', 'Transfer-Encoding: chunked'), '1\r\n \r\n'],
  'a second request': [`${request('/')}GET / HTTP/1.1\r\n`, 'A: b\r\n', 1],
}

for (const [what, [start, bytes, others]] of Object.entries(dripping)) {
  test(`a client that sends ${what} byte by byte gets 408 and is cut off`, async (t) => {
    const { port } = await serve(t)
    const answer = await drip(port, start, bytes, others)
    t.deepEqual(answer && refusalOf(answer), [408, 'request_timeout'])
    t.deepEqual(answer && faultsOf(answer), [])
  })
}

test('a request answered before its body has arrived is cut off without a second answer', async (t) => {
  const { port } = await serve(t)
  const connection = await openRaw(port)
  connection.send('POST /unread HTTP/1.1\r\nHost: berth\r\nContent-Length: 100\r\n\r\nhalf')
  t.is((await connection.answer())?.status, 200)
  t.is(await connection.answer(), undefined)
})

test('a client that does not read is cut off after one answer has been produced', async (t) => {
  const { port, begun, ended } = await serve(t)
  const socket = await open(port)
  t.teardown(() => socket.destroy())
  socket.pause().on('error', () => undefined)
  socket.write(request('/large').repeat(50))
  await until('the end', async () => ended.length > 0, 60_000)
  t.deepEqual(begun, ['/large'])
  t.deepEqual(ended, ['/large cut off'])
})

test('a client that reads is not cut off, however large the answers', async (t) => {
  const { port, ended } = await serve(t, {})
  const connections = connectTo(port)
  t.teardown(connections.close)
  for (let i = 0; i < 2; i++) t.is((await connections.client({}).get('/large')).text.length, LARGE.length)
  t.deepEqual(ended, ['/large', '/large'])
})

test('pipelined requests are handled one by one, each after the answer to the previous', async (t) => {
  const { port, begun, goOn } = await serve(t, {})
  const connection = await openRaw(port)
  connection.send(request('/wait/1') + request('/2') + request('/3'))
  t.is((await exchange(port, request('/other')))?.json as unknown, '/other')
  t.deepEqual(begun, ['/wait/1', '/other'])
  goOn()
  for (const path of ['/wait/1', '/2', '/3']) t.is((await connection.answer())?.json as unknown, path)
  t.deepEqual(begun, ['/wait/1', '/other', '/2', '/3'])
  connection.close()
})

test('a hundred pipelined requests may wait, and more are cut off', async (t) => {
  const { port, goOn } = await serve(t, {})
  const many = await openRaw(port)
  many.send(request('/wait') + request('/').repeat(100))
  const tooMany = await openRaw(port)
  tooMany.send(request('/wait') + request('/').repeat(101))
  t.is(await tooMany.answer(), undefined)
  goOn()
  for (let i = 0; i < 101; i++) t.is((await many.answer())?.status, 200)
  many.close()
})

test('a pipelined request that times out gets 408 after the previous answer', async (t) => {
  const { port, goOn } = await serve(t)
  const connection = await openRaw(port)
  connection.send(`${request('/wait')}POST / HTTP/1.1\r\nHost: berth\r\nContent-Length: 100\r\n\r\nhalf`)
  // Once another equally late request has been refused, this one has been too.
  const other = await openRaw(port)
  other.send('POST / HTTP/1.1\r\nHost: berth\r\nContent-Length: 100\r\n\r\nhalf')
  t.is((await other.answer())?.status, 408)
  goOn()
  t.is((await connection.answer())?.json as unknown, '/wait')
  t.is((await connection.answer())?.status, 408)
  await connection.ended()
})

test('pipelined requests are answered even if the service stops meanwhile', async (t) => {
  const { port, begun, goOn, close } = await serve(t, {})
  const connection = await openRaw(port)
  connection.send(request('/wait') + request('/2'))
  await until('it has begun', async () => begun.length > 0, 5_000)
  const stopped = close(10_000)
  goOn()
  t.is((await connection.answer())?.json as unknown, '/wait')
  const last = await connection.answer()
  t.is(last?.json as unknown, '/2')
  t.is(last?.headers.connection, 'close')
  await stopped
})

/** Opens the given number of connections. Returns how many are accepted. */
const acceptedOf = async (t: ExecutionContext, port: number, count: number): Promise<number> => {
  const connections = await Promise.all(Array.from({ length: count }, () => openRaw(port)))
  t.teardown(() => connections.forEach(({ close }) => void close()))
  for (const { send } of connections) send(request('/'))
  const answers = await Promise.all(connections.map(({ answer }) => answer()))
  return answers.filter((answer) => answer?.status === 200).length
}

test('connections are limited in total and per address, except per address for trusted proxies', async (t) => {
  const connectionsMax = { all: 20, ofNetwork: 10 }
  const addresses = makeClientAddresses([{ family: 'ipv4', address: '127.0.0.1', prefix: 32 }])
  t.is(await acceptedOf(t, (await serve(t, {}, { connectionsMax })).port, 15), 10)
  const { port } = await serve(t, {}, { connectionsMax, addresses })
  t.is(await acceptedOf(t, port, 15), 15)
  t.is(await acceptedOf(t, port, 15), 5)
})

test('a closed connection frees its place', async (t) => {
  const { port } = await serve(t, {}, { connectionsMax: { all: 20, ofNetwork: 1 } })
  const first = await openRaw(port)
  first.send(request('/'))
  t.is((await first.answer())?.status, 200)
  for (let i = 0; i < 5; i++) t.is(await exchange(port, request('/')), undefined)
  first.close()
  await until('there is room', async () => (await exchange(port, request('/')))?.status === 200, 5_000)
  t.pass()
})

test('a header of a hundred fields is accepted, and a longer one is 431', async (t) => {
  const service = await start(t)
  const of = (count: number): string =>
    `GET /health/live HTTP/1.1\r\nHost: berth\r\n${'A: b\r\n'.repeat(count - 1)}\r\n`
  t.is((await exchange(service.port, of(100)))?.status, 200)
  for (const count of [101, 1000, 4000]) {
    const answer = await exchange(service.port, of(count))
    t.deepEqual(answer && refusalOf(answer), [431, 'headers_too_large'])
    t.deepEqual(answer && faultsOf(answer), [])
    t.regex(String(answer?.json.detail), /100 fields/)
  }
})
