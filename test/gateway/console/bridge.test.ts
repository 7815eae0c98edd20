import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { WebSocket, WebSocketServer } from 'ws'
import type { SessionCause } from '../../../src/domain/events/session.ts'
import { bridge, CONSOLE_LIMITS } from '../../../src/http/console/bridge.ts'

/** Both ends of a WebSocket. */
const aWebSocket = async (t: ExecutionContext) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as { port: number }).port}`)
  t.teardown(() => {
    client.terminate()
    server.close()
  })
  const [[socket]] = await Promise.all([once(server, 'connection'), once(client, 'open')])
  return { client, socket: socket as WebSocket }
}

/** The close code of a console whose stream had closed before it was bridged: messages of the gateway may overtake. */
const closedBefore = async (t: ExecutionContext, cause: SessionCause): Promise<unknown> => {
  const { client, socket } = await aWebSocket(t)
  const stream = new PassThrough()
  stream.destroy()
  await once(stream, 'close')
  bridge(socket, { stream, endedBy: () => cause }, CONSOLE_LIMITS)
  const [code] = await once(client, 'close')
  return code
}

for (const [what, cause, code] of [
  ['a SUT that was refused', 'sut', 4002],
  ['a reservation that was released', 'released', 4001],
] as const)
  test(`${what} before the console opened closes it with ${code}`, async (t) => {
    t.is(await closedBefore(t, cause), code)
  })
