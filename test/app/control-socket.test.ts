import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { openControlSocket, socketPathProblem } from '../../src/app/control-socket.ts'
import { temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'

const open = async (t: ExecutionContext, path?: string) => {
  const at = path ?? join(await temporaryData(t), 'berth.sock')
  const close = await openControlSocket(at, (asked, response) => response.end(asked.url), t.log)
  t.teardown(close)
  return { path: at, close }
}

/** The answer to a request, or the code of its failure. */
const ask = async (socketPath: string): Promise<string | undefined> => {
  const asked = request({ socketPath, path: '/api/sut?limit=1' }).end()
  try {
    const [response] = await once(asked, 'response')
    return await text(response)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

test('at most 16 commands are connected at once, and one more is closed', async (t) => {
  const { path } = await open(t)
  const others = Array.from({ length: 16 }, () => connect(path))
  await Promise.all(others.map((socket) => once(socket, 'connect')))
  const further = connect(path)
  await once(
    further.on('error', () => undefined),
    'close',
  )
  for (const socket of others) socket.destroy()
  await until('there is room again', async () => (await ask(path)) === '/api/sut?limit=1', 60_000)
  t.pass()
})

test('only the owner can connect to the socket, and it disappears when the service stops', async (t) => {
  const { path, close } = await open(t)
  t.is((await stat(path)).mode & 0o777, 0o600)
  await close()
  t.is(await ask(path), 'ENOENT')
})

test('the socket of a killed service is replaced', async (t) => {
  const { path, close } = await open(t)
  await close()
  await writeFile(path, '')
  t.is(await ask(path), 'ECONNREFUSED')
  await open(t, path)
  t.is(await ask(path), '/api/sut?limit=1')
})

test('a path too long for a socket is reported with its length', (t) => {
  t.is(socketPathProblem('/data/berth.sock'), undefined)
  t.regex(String(socketPathProblem(`/${'d'.repeat(107)}`)), /has 108 bytes/)
})
