import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { type ListenOptions, listen } from '../../../src/http/server/listen.ts'
import { upgradedOf } from '../../../src/http/server/upgraded.ts'
import { stopwatch } from '../until.ts'

/** Connections that have left HTTP obey the limits of the server. */

const TAKEN = '/api/console/ticket'

const serve = (more: Partial<ListenOptions> = {}) =>
  listen(
    (request, response) => {
      const upgraded = upgradedOf(request, response)
      if (upgraded === undefined || request.url !== TAKEN) return void response.end('answered')
      const { socket, takeOver } = upgraded
      takeOver()
      socket.resume().once('end', () => socket.end())
      socket.write('HTTP/1.1 101 Taken\r\n\r\n')
    },
    { host: '127.0.0.1', port: 0, addresses: makeClientAddresses([]), ...more },
  )

const ask = (t: ExecutionContext, port: number, path: string): Socket => {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  t.teardown(() => void socket.destroy())
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
  return socket
}

/** The first line of an answer; empty if the connection closes without one. */
const lineOf = async (socket: Socket): Promise<string> => {
  const [bytes = ''] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])])
  return String(bytes).split('\r\n')[0] ?? ''
}

test('an upgraded connection counts until it closes', async (t) => {
  const { port, close } = await serve({ connectionsMax: { all: 20, ofAddress: 2 } })
  t.teardown(() => close(0))
  const first = ask(t, port, TAKEN)
  t.is(await lineOf(first), 'HTTP/1.1 101 Taken')
  t.is(await lineOf(ask(t, port, TAKEN)), 'HTTP/1.1 101 Taken')
  t.is(await lineOf(ask(t, port, TAKEN)), '')
  first.destroy()
  let line = ''
  for (let n = 0; n < 100 && line === ''; n++) line = await lineOf(ask(t, port, TAKEN))
  t.is(line, 'HTTP/1.1 101 Taken')
})

test('an upgraded connection is cut when the time of a stop is over, and does not hold it up longer', async (t) => {
  const { port, close } = await serve()
  const socket = ask(t, port, TAKEN)
  t.is(await lineOf(socket), 'HTTP/1.1 101 Taken')
  const taken = stopwatch()
  const ended = text(socket).catch(() => 'reset')
  await close(200)
  t.true(taken() < 3_000)
  await ended
})
