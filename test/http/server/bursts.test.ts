import type { IncomingMessage, ServerResponse } from 'node:http'
import test from 'ava'
import { handleInBursts } from '../../../src/http/server/bursts.ts'

const request = (url: string) => ({ url }) as IncomingMessage
const response = {} as ServerResponse
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('requests of one event loop turn are handled together, each once and in order', async (t) => {
  const handled: string[] = []
  const take = handleInBursts(({ url = '' }) => {
    handled.push(url)
    // What arrives meanwhile is handled in the next turn.
    if (url === '/2') take(request('/3'), response)
  })
  take(request('/1'), response)
  await Promise.resolve()
  take(request('/2'), response)
  t.deepEqual(handled, [])
  await turn()
  t.deepEqual(handled, ['/1', '/2'])
  for (let n = 0; n < 2; n++) await turn()
  t.deepEqual(handled, ['/1', '/2', '/3'])
})
