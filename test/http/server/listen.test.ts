import { once } from 'node:events'
import { get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { makeWarnOnce } from '../../../src/app/core/base.ts'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { handleInBursts, type ListenOptions, listen, upgradedOf } from '../../../src/http/server/listen.ts'
import { stopwatch } from '../until.ts'

const outOfFiles = () => Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })

test('connections that the system cannot accept are reported and do not end the service', async (t) => {
  const errors: Error[] = []
  const servers = new Set<Server>()
  const { port, close } = await listen(
    (request, response) => {
      servers.add((request.socket as unknown as { readonly server: Server }).server)
      response.end('answered')
    },
    {
      ...{ host: '127.0.0.1', port: 0, addresses: makeClientAddresses([]) },
      onAcceptError: (error) => errors.push(error),
    },
  )
  t.teardown(() => close(0))
  const ask = async (): Promise<number | undefined> => {
    const [response] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  t.is(await ask(), 200)
  const [server] = servers
  // As Node reports a failed accept; an error event without a listener throws.
  for (let n = 0; n < 3; n++) t.notThrows(() => server?.emit('error', outOfFiles()))
  t.is(errors.length, 3)
  t.is(await ask(), 200)
})

test('a repeated warning is logged once a minute', (t) => {
  let now = 1
  const logged: object[] = []
  const warnOnce = makeWarnOnce({ warn: (facts) => logged.push(facts) }, () => now)
  const error = outOfFiles()
  for (; now <= 130_000; now += 1_000) warnOnce({ err: error }, 'a sentence')
  t.deepEqual(logged, [{ err: error }, { err: error }, { err: error }])
})

/** Connections that have left HTTP obey the limits of the server. */

const TAKEN = '/api/console/ticket'

const serve = (more: Partial<ListenOptions> = {}) =>
  listen(
    (request, response) => {
      const upgraded = upgradedOf(request, response)
      if (upgraded === undefined || request.url !== TAKEN) return void response.end('answered')
      const { socket } = request
      upgraded.takeOver()
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

const requestOf = (url: string) => ({ url }) as IncomingMessage
const response = {} as ServerResponse

test('requests of one event loop turn are handled together, each once and in order', async (t) => {
  const handled: string[] = []
  const take = handleInBursts(({ url = '' }) => {
    handled.push(url)
    // What arrives meanwhile is handled in the next turn.
    if (url === '/2') take(requestOf('/3'), response)
  })
  take(requestOf('/1'), response)
  await Promise.resolve()
  take(requestOf('/2'), response)
  t.deepEqual(handled, [])
  await turn()
  t.deepEqual(handled, ['/1', '/2'])
  for (let n = 0; n < 2; n++) await turn()
  t.deepEqual(handled, ['/1', '/2', '/3'])
})
