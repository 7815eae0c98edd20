/** The thread of the gateway fails while consoles are open, or are being opened. Alone, because it looks for threads. */

import type { Worker } from 'node:worker_threads'
import test, { type ExecutionContext } from 'ava'
import { until } from '../../http/until.ts'
import { type Connected, connected, consoleOf, openAt, opened, SOON, ticketFor } from './stage.ts'

const threads: Worker[] = []
process.on('worker', (worker) => worker.threadName === 'gateway' && threads.push(worker))

/** A console, and the failure of the thread that serves it. */
const stage = async (t: ExecutionContext): Promise<Connected & { readonly fail: () => Promise<unknown> }> => {
  const console = await connected(t)
  const thread = threads.at(-1)
  if (thread === undefined) throw new Error('there is no thread')
  return { ...console, fail: () => thread.terminate() }
}

const connectionOf = async ({ stage, path }: Connected) =>
  (await stage.service.as('alice').get(`${path}/connection`)).json

test.serial('a failure of the thread closes consoles with 1011, and another thread serves the next', async (t) => {
  const failing = await stage(t)
  const { stage: running, path, closed, fail } = failing
  await until('the console is counted', async () => (await connectionOf(failing)).connections === 1, SOON)
  await fail()
  t.is(await closed, 1011)
  t.like(await connectionOf(failing), { open: false, connections: 0 })
  await opened(running, path)
  const again = await consoleOf(t, running, path)
  await until('the next console', async () => (await connectionOf(failing)).connections === 1, SOON)
  again.socket.close()
  running.service.tick()
  const { json } = await running.service.as('alice').get('/api/session')
  t.like((json.sessions as object[]).at(-1), { cause: 'lost', connections: 1 })
})

test.serial('without a thread a console is 503, and its ticket stays valid', async (t) => {
  const failing = await stage(t)
  const { stage: running, path, fail } = failing
  const ticket = await ticketFor(running, path)
  await fail()
  const refused = await openAt(t, running, ticket)
  t.like(refused, { refused: 503 })
  t.is('body' in refused && JSON.parse(refused.body).code, 'unavailable')
  await opened(running, path)
  t.true('socket' in (await openAt(t, running, ticket)))
})
