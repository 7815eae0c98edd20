import { once } from 'node:events'
import { get, type IncomingMessage, type Server } from 'node:http'
import test from 'ava'
import { makeWarnOnce } from '../../../src/app/core/reports.ts'
import { makeClientAddresses } from '../../../src/http/protocol/client-address.ts'
import { listen } from '../../../src/http/server/listen.ts'

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
