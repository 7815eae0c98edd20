import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { askService } from '../../src/control/ask-service.ts'
import {
  type ControlHandler,
  type ControlSocketOptions,
  openControlSocket,
  socketPathProblem,
} from '../../src/control/socket.ts'
import { temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'
import { leftOf, rightOf } from '../users/builders.ts'

/** Answers with the path. */
const serve: ControlSocketOptions['serve'] = (request, response) => response.end(request.url)

const open = async (t: ExecutionContext, handlers: Readonly<Record<string, ControlHandler>>) => {
  const path = join(await temporaryData(t), 'berth.sock')
  const failures: unknown[] = []
  const close = await openControlSocket({ path, handlers, serve, onError: (error) => failures.push(error) })
  t.teardown(close)
  return { path, failures, close }
}

/** Sends raw bytes and returns the response. */
const raw = (path: string, bytes: string): Promise<string> => {
  const socket = connect(path)
  socket.end(bytes)
  return text(socket)
}

test('a command to the service is answered, or refused with a message', async (t) => {
  const { path } = await open(t, {
    'say twice': async (given) => E.right({ said: [given, given] }),
    'refuse all': async () => E.left('not today'),
  })
  t.deepEqual(rightOf(await askService(path, 'say twice', { a: 'ü' })), { said: [{ a: 'ü' }, { a: 'ü' }] })
  t.deepEqual(leftOf(await askService(path, 'refuse all', {})), { why: 'not today' })
})

test('an unknown command is refused, also one named like an Object.prototype member', async (t) => {
  const { path } = await open(t, {})
  for (const command of ['clock confirm', 'constructor', '__proto__', '../x']) {
    const { why } = leftOf(await askService(path, command, {})) as { why: string }
    t.regex(why, /does not know this command/)
  }
})

test('a failing command is reported as a service error, and the next one works', async (t) => {
  const { path, failures } = await open(t, {
    fail: async () => {
      throw new Error('broken')
    },
    work: async () => E.right({}),
  })
  t.deepEqual(leftOf(await askService(path, 'fail', {})), { why: 'the service failed; see its log' })
  t.deepEqual(
    failures.map((error) => (error as Error).message),
    ['broken'],
  )
  t.deepEqual(rightOf(await askService(path, 'work', {})), {})
})

test('malformed, non-JSON and oversized requests do no harm', async (t) => {
  const { path, failures } = await open(t, { work: async () => E.right({}) })
  const post = (body: string) =>
    `POST /?command=work HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  t.regex(await raw(path, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /)
  t.regex(await raw(path, 'GET /?command=work HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 404 /)
  t.regex(await raw(path, post('{')), /^HTTP\/1\.1 422 [\s\S]*cannot be read/)
  t.regex(await raw(path, post(JSON.stringify('x'.repeat(65_536)))), /^HTTP\/1\.1 422 [\s\S]*more than 65536 bytes/)
  t.regex(await raw(path, 'POST /?command=%ff HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'), /^HTTP\/1\.1 404 /)
  t.deepEqual(rightOf(await askService(path, 'work', {})), {})
  t.deepEqual(failures, [])
})

test('at most 16 commands are connected at once, and one more is closed', async (t) => {
  const { path } = await open(t, { work: async () => E.right({}) })
  const others = Array.from({ length: 16 }, () => connect(path))
  await Promise.all(others.map((socket) => once(socket, 'connect')))
  const further = connect(path)
  await once(
    further.on('error', () => undefined),
    'close',
  )
  for (const socket of others) socket.destroy()
  await until('there is room again', async () => E.isRight(await askService(path, 'work', {})), 60_000)
  t.pass()
})

test('requests for routes are passed on, and no others', async (t) => {
  const { path } = await open(t, {})
  const get = (url: string) => raw(path, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  t.regex(await get('/api/sut?limit=1'), /^HTTP\/1\.1 200 [\s\S]*\/api\/sut\?limit=1/)
  for (const other of ['/', '/apix', '/health/live', '//api/']) t.regex(await get(other), /^HTTP\/1\.1 404 /, other)
})

test('only the owner can connect to the socket, and it disappears when the service stops', async (t) => {
  const { path, close } = await open(t, {})
  t.is((await stat(path)).mode & 0o777, 0o600)
  await close()
  t.is(leftOf(await askService(path, 'any', {})), 'no service')
})

test('the socket of a killed service is replaced', async (t) => {
  const { path, close } = await open(t, {})
  await close()
  await writeFile(path, '')
  t.is(leftOf(await askService(path, 'any', {})), 'no service')
  t.teardown(await openControlSocket({ path, handlers: { any: async () => E.right({}) }, serve, onError: t.log }))
  t.deepEqual(rightOf(await askService(path, 'any', {})), {})
})

test('a path too long for a socket is reported with its length', (t) => {
  t.is(socketPathProblem('/data/berth.sock'), undefined)
  t.regex(String(socketPathProblem(`/${'d'.repeat(107)}`)), /has 108 bytes/)
})
