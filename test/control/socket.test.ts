import { stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { askService } from '../../src/control/ask.ts'
import { type ControlHandler, openControlSocket, socketPathProblem } from '../../src/control/socket.ts'
import { temporaryData } from '../http/harness.ts'
import { leftOf, rightOf } from '../users/builders.ts'

const open = async (t: ExecutionContext, handlers: Readonly<Record<string, ControlHandler>>) => {
  const path = join(await temporaryData(t), 'berth.sock')
  const failures: unknown[] = []
  const close = await openControlSocket({ path, handlers, onError: (error) => failures.push(error) })
  t.teardown(close)
  return { path, failures, close }
}

/** Sends bytes as they are and gives what comes back. */
const raw = (path: string, bytes: string): Promise<string> => {
  const socket = connect(path)
  socket.end(bytes)
  return text(socket)
}

test('a command is asked of the service, and answered or refused with a sentence', async (t) => {
  const { path } = await open(t, {
    'say twice': async (given) => E.right({ said: [given, given] }),
    'refuse all': async () => E.left('not today'),
  })
  t.deepEqual(rightOf(await askService(path, 'say twice', { a: 'ü' })), { said: [{ a: 'ü' }, { a: 'ü' }] })
  t.deepEqual(leftOf(await askService(path, 'refuse all', {})), { why: 'not today' })
})

test('a command that the service does not know is refused, also one named like a member of every object', async (t) => {
  const { path } = await open(t, {})
  for (const command of ['clock confirm', 'constructor', '__proto__', '../x']) {
    const { why } = leftOf(await askService(path, command, {})) as { why: string }
    t.regex(why, /does not know this command/)
  }
})

test('a command that fails is an error of the service, and the next one is taken', async (t) => {
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

test('what is no request, no JSON, or more than a command sends harms nothing', async (t) => {
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

test('only its owner may connect to it, and it is gone when the service has stopped', async (t) => {
  const { path, close } = await open(t, {})
  t.is((await stat(path)).mode & 0o777, 0o600)
  await close()
  t.is(leftOf(await askService(path, 'any', {})), 'no service')
})

test('a socket that a killed service left is taken over', async (t) => {
  const { path, close } = await open(t, {})
  await close()
  await writeFile(path, '')
  t.is(leftOf(await askService(path, 'any', {})), 'no service')
  t.teardown(await openControlSocket({ path, handlers: { any: async () => E.right({}) }, onError: t.log }))
  t.deepEqual(rightOf(await askService(path, 'any', {})), {})
})

test('a path that no socket can have is told with its length', (t) => {
  t.is(socketPathProblem('/data/berth.sock'), undefined)
  t.regex(String(socketPathProblem(`/${'d'.repeat(107)}`)), /has 108 bytes/)
})
