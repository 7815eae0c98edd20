import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { makeApi } from '../../../src/web/service/api.ts'

test('a command has one key until it is answered, and another one when it is sent again after that', async (t) => {
  const keys: unknown[] = []
  // What becomes of each request in turn: no answer, or its status. The 502 is that of a proxy.
  const outcomes = [0, 502, 0, 201, 201, 409, 201]
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key'])
    const status = outcomes.shift() ?? 0
    if (status === 0) request.socket.destroy()
    else response.writeHead(status).end(JSON.stringify({ detail: 'SUT x is one of two SUTs.' }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const ignore = (): void => undefined
  const api = makeApi({
    ...{ session: () => undefined, onUnauthenticated: ignore, onAnswer: ignore, retryDelaysMs: [1] },
  })
  const send = () => {
    const { port } = server.address() as AddressInfo
    const sent = api.send(`http://127.0.0.1:${port}/create`, { body: { start_in: 0 } })
    return sent.then(({ refused }) => {
      if (refused !== undefined) t.is(refused.message, 'Machine x is one of two machines.')
      return refused?.status ?? 'done'
    })
  }
  t.deepEqual(
    [await send(), await send(), await send(), await send(), await send()],
    [502, 'done', 'done', 409, 'done'],
  )
  const [first, second, third, fourth] = [keys[0], keys[4], keys[5], keys[6]]
  t.deepEqual(keys, [first, first, first, first, second, third, fourth])
  t.is(new Set(keys).size, 4)
})
