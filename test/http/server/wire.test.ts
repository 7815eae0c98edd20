/** The layer below requests: invalid HTTP, and the limits of valid HTTP. */

import test from 'ava'
import { basic } from '../client.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { sharedService } from '../shared.ts'
import { exchange, openRaw } from './raw-http.ts'

const HOST = 'Host: berth\r\n'
const ALIVE = `GET /health/live HTTP/1.1\r\n${HOST}\r\n`
const CREDENTIALS = `Authorization: ${basic('admin')}\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'
const CREATE = `POST /api/sut/create HTTP/1.1\r\n${HOST}${CREDENTIALS}${JSON_TYPE}`

type Rows = Readonly<Record<string, readonly [bytes: string | Uint8Array, status: number, code: string]>>

/** Without credentials: errors in the head take precedence. */
const rows = (values: readonly string[], row: (value: string) => readonly [what: string, ...Rows[string]]): Rows =>
  Object.fromEntries(values.map(row).map(([what, ...refused]) => [what, refused]))

const hosted = (...hosts: readonly string[]): Rows =>
  rows(hosts, (host) => {
    const bytes = Buffer.from(`GET /api/sut HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 'latin1')
    return [`the Host ${JSON.stringify(host.slice(0, 20))}`, bytes, 400, 'malformed_request']
  })

const addressed = (...pieces: readonly string[]): Rows =>
  rows(pieces, (piece) => {
    const bytes = `GET /api/sut/${piece} HTTP/1.1\r\n${HOST}\r\n`
    return [`a path with ${piece}`, bytes, 400, 'malformed_request']
  })

/** What the application refuses. */
const refused: Rows = {
  'HTTP/1.1 without a Host': ['GET /health/live HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
  'two Host fields': [`GET /health/live HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400, 'malformed_request'],
  'the transfer coding gzip before chunked': [
    `POST /api/sut/create HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    501,
    'not_implemented',
  ],
  ...hosted('a b', 'a/b', 'a:b', '[::1', 'a@b', 'a\\b', '%zz', 'a:65536', 'a:1:2', '', 'a'.repeat(300), '\xe4', '<a>'),
  'a fragment': [`GET /health/live#a HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_request'],
  'a fragment after a query': [`GET /api/sut?name=a#b HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_request'],
  ...addressed('%00', '%0a', '%1F', '%7f', '%c2%80', '%C2%9f', 'a%0d%0ab'),
  'an unknown expectation': [`GET / HTTP/1.1\r\n${HOST}Expect: tea\r\n\r\n`, 400, 'malformed_request'],
  'an address of 8,193 characters': [`GET /${'a'.repeat(8192)} HTTP/1.1\r\n${HOST}\r\n`, 414, 'uri_too_long'],
}

const chunked = (coding: string): string => `${CREATE}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`

/** What is no HTTP/1.1, or more of it than is read. Node refuses it. */
const notHttp: Readonly<Record<string, readonly [bytes: string | Uint8Array, status: number]>> = {
  'text that is not HTTP': ['EHLO berth\r\n\r\n', 400],
  'a TLS handshake': [Buffer.from('16030100a50100', 'hex'), 400],
  'HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  'an unknown method': [`BOOK /api/sut HTTP/1.1\r\n${HOST}\r\n`, 400],
  'a header without a name': [`GET /health/live HTTP/1.1\r\n${HOST}: x\r\n\r\n`, 400],
  'a header continued on a second line': [`GET / HTTP/1.1\r\n${HOST}A: b\r\n c\r\n\r\n`, 400],
  'an address with a control character': [`GET /\u0001 HTTP/1.1\r\n${HOST}\r\n`, 400],
  'two Content-Length fields': [`${CREATE}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
  'a length together with chunks': [`${CREATE}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  'malformed chunks': [`${CREATE}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`, 400],
  ...Object.fromEntries(
    ['gzip', 'chunked, gzip', 'chunked, chunked', 'identity', 'xchunked', 'cow'].map((coding) => [
      `the transfer coding ${coding}`,
      [chunked(coding), 400] as const,
    ]),
  ),
  'a header of 33 KiB': [`GET / HTTP/1.1\r\n${HOST}A: ${'a'.repeat(33_792)}\r\n\r\n`, 431],
  'a header of 101 fields': [`GET / HTTP/1.1\r\n${HOST}${'A: b\r\n'.repeat(100)}\r\n`, 431],
  'four thousand headers': [`GET / HTTP/1.1\r\n${HOST}${'A: bcdef\r\n'.repeat(4000)}\r\n`, 431],
}

const service = sharedService()

for (const [what, [bytes, status, code]] of Object.entries(refused)) {
  test(`${what} is refused as ${code}`, async (t) => {
    const answer = await exchange(service.port, bytes)
    if (answer === undefined) return t.fail('closed without an answer')
    t.deepEqual(refusalOf(answer), [status, code])
    t.deepEqual(faultsOf(answer), [])
    t.notRegex(answer.statusLine, /_/)
    // The service keeps working.
    t.is((await service.anyone.get('/health/live')).status, 200)
  })
}

for (const [what, [bytes, status]] of Object.entries(notHttp)) {
  test(`${what} is refused, and the connection closed`, async (t) => {
    const connection = await openRaw(service.port)
    connection.send(bytes)
    t.is((await connection.answer())?.status, status)
    await connection.ended()
    t.is((await service.anyone.get('/health/live')).status, 200)
  })
}

test('CONNECT, which only proxies take, closes the connection', async (t) => {
  t.is(await exchange(service.port, 'CONNECT lab.example:443 HTTP/1.1\r\nHost: lab.example:443\r\n\r\n'), undefined)
})

const taken: Readonly<Record<string, readonly [bytes: string, status: number]>> = {
  'HTTP/1.0 without a Host': ['GET /health/live HTTP/1.0\r\n\r\n', 200],
  'an absolute URL in place of a path': [`GET http://berth/health/live HTTP/1.1\r\n${HOST}\r\n`, 200],
  'an empty line before the request': [`\r\n${ALIVE}`, 200],
  'an address of 8,192 characters': [`GET /${'a'.repeat(8191)} HTTP/1.1\r\n${HOST}${CREDENTIALS}\r\n`, 404],
  ...Object.fromEntries(
    ['lab', 'Lab.Example:8080', '[::1]', '[2001:db8::1]:443', '192.0.2.7:80', 'a_b', 'a:'].map((host) => [
      `the Host ${host}`,
      [`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 200] as const,
    ]),
  ),
  'a capitalised transfer coding': [`${CREATE}Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 422],
  'an encoded umlaut in a path': [`GET /api/sut/%c3%a4 HTTP/1.1\r\n${HOST}${CREDENTIALS}\r\n`, 404],
  'an encoded line break in a query': [`GET /api/sut?name=%0a HTTP/1.1\r\n${HOST}${CREDENTIALS}\r\n`, 422],
  'an Accept with a charset': [
    `GET /api/user/me HTTP/1.1\r\n${HOST}${CREDENTIALS}Accept: application/json; charset=utf-8\r\n\r\n`,
    200,
  ],
  'a header of a hundred fields': [`GET /health/live HTTP/1.1\r\n${HOST}${'A: b\r\n'.repeat(99)}\r\n`, 200],
  'a header of 31 KiB': [`GET /health/live HTTP/1.1\r\n${HOST}A: ${'a'.repeat(31_744)}\r\n\r\n`, 200],
  'an offer to upgrade the protocol': [
    `GET /health/live HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    200,
  ],
  'a body after Expect: 100-continue': [`${CREATE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`, 422],
  'a body in chunks': [`${CREATE}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;a=b\r\n}\r\n0\r\nA: b\r\n\r\n`, 422],
}

for (const [what, [bytes, status]] of Object.entries(taken)) {
  test(`${what} is accepted`, async (t) => {
    t.is((await exchange(service.port, bytes))?.status, status)
  })
}

test('a client that waits between two requests does not time out', async (t) => {
  const service = await start(t, { timeouts: { headers: 1000, request: 1000, checkInterval: 20 } })
  const connection = await openRaw(service.port)
  connection.send(ALIVE)
  t.is((await connection.answer())?.status, 200)
  const late = await openRaw(service.port)
  // Once the late client has got its 408, the waiting one would have got it too.
  late.send('GET / HT')
  t.is((await late.answer())?.status, 408)
  connection.send(ALIVE)
  t.is((await connection.answer())?.status, 200)
  connection.close()
})
