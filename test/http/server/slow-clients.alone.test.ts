import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { type ListenOptions, listen, type Timeouts } from '../../../src/http/server/listen.ts'
import { connectTo } from '../client.ts'
import { until } from '../until.ts'
import { exchange, openRaw, type RawAnswer } from './raw-http.ts'

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: berth\r\n\r\n`

/** Sends a byte every few milliseconds until cut off. Returns the answer, after the given number of earlier ones. */
const drip = async (port: number, start: string, bytes: string, others = 0): Promise<RawAnswer | undefined> => {
  const connection = await openRaw(port)
  connection.send(start)
  for (let i = 0; i < others; i++) await connection.answer()
  let sent = 0
  const timer = setInterval(() => connection.send(bytes[sent++ % bytes.length] as string), 20)
  try {
    const answer = await connection.answer()
    await connection.ended()
    return answer
  } finally {
    clearInterval(timer)
    connection.close()
  }
}

const BODY = 'POST / HTTP/1.1\r\nHost: berth\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n'

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
  const addresses = makeClientAddresses([])
  const listening = await listen(handle, { host: '127.0.0.1', port: 0, addresses, timeouts, ...more })
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
    t.is((await drip(port, start, bytes, others))?.status, 408)
  })
}

test('a client that does not read is cut off', async (t) => {
  const { port, ended } = await serve(t)
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined)
  t.teardown(() => void socket.destroy())
  socket.pause()
  socket.write(request('/large').repeat(3))
  await until('the end', async () => ended.length === 3, 60_000)
  t.deepEqual(new Set(ended), new Set(['/large cut off']))
})

test('a client that reads is not cut off, however large the answers', async (t) => {
  const { port, ended } = await serve(t, {})
  const connections = connectTo(port)
  t.teardown(connections.close)
  for (let i = 0; i < 2; i++) t.is((await connections.client({}).get('/large')).text.length, LARGE.length)
  t.deepEqual(ended, ['/large', '/large'])
})

test('a hundred pipelined requests are answered in order, and more are cut off', async (t) => {
  const { port, goOn } = await serve(t, {})
  const many = await openRaw(port)
  many.send(request('/wait') + request('/').repeat(99))
  const tooMany = await openRaw(port)
  tooMany.send(request('/wait') + request('/').repeat(100))
  t.is(await tooMany.answer(), undefined)
  goOn()
  t.is((await many.answer())?.json as unknown, '/wait')
  for (let i = 0; i < 99; i++) t.is((await many.answer())?.json as unknown, '/')
  many.close()
})

test('pipelined requests are answered even if the service stops meanwhile', async (t) => {
  const { port, begun, goOn, close } = await serve(t, {})
  const connection = await openRaw(port)
  connection.send(request('/wait') + request('/2'))
  await until('it has begun', async () => begun.length > 0, 5_000)
  const stopped = close(10_000)
  goOn()
  t.is((await connection.answer())?.json as unknown, '/wait')
  t.is((await connection.answer())?.json as unknown, '/2')
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
  const connectionsMax = { all: 20, ofAddress: 10 }
  const addresses = makeClientAddresses([{ family: 'ipv4', address: '127.0.0.1', prefix: 32 }])
  t.is(await acceptedOf(t, (await serve(t, {}, { connectionsMax })).port, 15), 10)
  const { port } = await serve(t, {}, { connectionsMax, addresses })
  t.is(await acceptedOf(t, port, 15), 15)
  t.is(await acceptedOf(t, port, 15), 5)
})

test('a closed connection frees its place', async (t) => {
  const { port } = await serve(t, {}, { connectionsMax: { all: 20, ofAddress: 1 } })
  const first = await openRaw(port)
  first.send(request('/'))
  t.is((await first.answer())?.status, 200)
  for (let i = 0; i < 5; i++) t.is(await exchange(port, request('/')), undefined)
  first.close()
  await until('there is room', async () => (await exchange(port, request('/')))?.status === 200, 5_000)
  t.pass()
})
