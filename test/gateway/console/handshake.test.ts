/** The opening handshake of a console. */

import { once } from 'node:events'
import { connect } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { refusalOf } from '../../http/refusals/problems.ts'
import { openRaw } from '../../http/server/raw-http.ts'
import { forwarding, isOpen, type Refused, running, type Stage, ticketFor, tryAt } from './stage.ts'

test('only pages of the service itself may connect', async (t) => {
  const stage = await forwarding(t)
  const { service } = stage
  const path = await running(stage)
  const origins = ['null', 'https://elsewhere.example', `http://127.0.0.1:${service.port + 1}`, 'file://', 'x']
  for (const origin of origins) {
    t.deepEqual(await tryAt(t, stage, await ticketFor(stage, path), { origin }), [403, 'cross_site'], origin)
  }
  t.true(isOpen(await tryAt(t, stage, await ticketFor(stage, path), { origin: service.url })))
})

test('the subprotocol is binary, or none is offered', async (t) => {
  const stage = await forwarding(t)
  const path = await running(stage)
  const chosen = async (...protocols: string[]): Promise<string | Refused> => {
    const opened = await tryAt(t, stage, await ticketFor(stage, path), {}, protocols)
    return 'socket' in opened ? opened.socket.protocol : opened
  }
  t.is(await chosen(), '')
  t.is(await chosen('binary'), 'binary')
  t.is(await chosen('base64', 'binary'), 'binary')
  t.deepEqual(await chosen('base64', 'chat'), [400, 'malformed_request'])
})

/** The answer to the head of a request. */
const rawly = (t: ExecutionContext, stage: Stage, path: string, ...fields: readonly string[]) =>
  rawlyIn('HTTP/1.1', t, stage, path, fields)

const rawlyIn = async (
  ...[version, t, { service }, path, fields]: [string, ExecutionContext, Stage, string, readonly string[]]
) => {
  const connection = await openRaw(service.port)
  t.teardown(connection.close)
  connection.send(`GET ${path} ${version}\r\nHost: berth\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`)
  return connection.answer()
}

const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket']
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
const VERSION = 'Sec-WebSocket-Version: 13'

test('a malformed upgrade is refused with an error body, and does not use up the ticket', async (t) => {
  const stage = await forwarding(t)
  const url = await ticketFor(stage, await running(stage))
  const cases: readonly (readonly [number, string, ...string[]])[] = [
    [426, 'upgrade_required'],
    [426, 'upgrade_required', 'Upgrade: websocket'],
    [426, 'upgrade_required', 'Connection: Upgrade', 'Upgrade: h2c'],
    [426, 'upgrade_required', ...UPGRADE, KEY],
    [426, 'upgrade_required', ...UPGRADE, KEY, 'Sec-WebSocket-Version: 8'],
    [400, 'malformed_request', ...UPGRADE, VERSION],
    [400, 'malformed_request', ...UPGRADE, VERSION, 'Sec-WebSocket-Key: short'],
    [400, 'malformed_request', ...UPGRADE, VERSION, KEY, 'Content-Length: 4'],
    [400, 'malformed_request', ...UPGRADE, VERSION, KEY, 'Sec-WebSocket-Protocol: binary, binary'],
    [400, 'malformed_request', ...UPGRADE, VERSION, KEY, 'Sec-WebSocket-Protocol: ,'],
    [400, 'malformed_request', ...UPGRADE, VERSION, KEY, 'Host: other'],
  ]
  for (const [status, code, ...fields] of cases) {
    const answer = await rawly(t, stage, url, ...fields)
    t.deepEqual(answer && refusalOf(answer), [status, code], fields.join())
    t.is(answer?.headers['x-request-id'], String(answer?.json.instance))
    t.is(answer?.headers.upgrade, status === 426 ? 'websocket' : undefined)
  }
  const old = await rawlyIn('HTTP/1.0', t, stage, url, [...UPGRADE, VERSION, KEY])
  t.deepEqual(old && refusalOf(old), [426, 'upgrade_required'])
  t.is((await rawly(t, stage, url, ...UPGRADE, VERSION, KEY))?.status, 101, 'a good one is accepted')
})

test('a client that goes on sending after a refused upgrade is cut off after 256 KiB', async (t) => {
  const { service } = await forwarding(t)
  const socket = connect(service.port, '127.0.0.1')
  t.teardown(() => void socket.destroy())
  const ended = new Promise((resolve) => socket.once('error', resolve).once('close', () => resolve('all was read')))
  const fields = [...UPGRADE, VERSION, KEY].join('\r\n')
  socket.write(`GET /api/console/unknown HTTP/1.1\r\nHost: berth\r\n${fields}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  t.regex(String(answer), /^HTTP\/1\.1 403 /)
  socket.end(Buffer.alloc(64 * 2 ** 20))
  t.regex(String(await ended), /ECONNRESET|EPIPE/)
})

test('a request to upgrade any other path is handled as an ordinary request', async (t) => {
  const stage = await forwarding(t)
  t.is((await rawly(t, stage, '/health/live', ...UPGRADE, VERSION, KEY))?.status, 200)
  t.is((await rawly(t, stage, '/api/sut', ...UPGRADE, VERSION, KEY))?.status, 401)
  t.is((await rawly(t, stage, '/api/console/a/b', ...UPGRADE, VERSION, KEY))?.status, 401)
  t.is((await rawly(t, stage, '/api/console/a?b', ...UPGRADE, VERSION, KEY))?.status, 422)
})

test('a client that upgrades before it has its earlier responses is disconnected', async (t) => {
  const stage = await forwarding(t)
  const url = await ticketFor(stage, await running(stage))
  const connection = await openRaw(stage.service.port)
  t.teardown(connection.close)
  const upgrade = [...UPGRADE, VERSION, KEY].join('\r\n')
  connection.send(`GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET ${url} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`)
  await connection.ended()
  t.is((await rawly(t, stage, url, ...UPGRADE, VERSION, KEY))?.status, 101, 'the ticket is as good as before')
})
