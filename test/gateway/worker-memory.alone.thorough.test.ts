import { randomUUID } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import test from 'ava'
import { until } from '../http/until.ts'
import { loggingIn, SOON, startForwarded } from './harness.ts'
import { connectTo } from './peers.ts'
import { PASSWORD, speakAsClient, speakAsSut } from './rfb/speakers.ts'

interface FromWorker {
  readonly params: { readonly sessionId: string; readonly message: string }
}

/** The text of heap snapshots of this process's worker threads, and their environments, seen through the inspector. */
const lookIntoWorkers = async () => {
  const session = new Session()
  session.connect()
  const workers = new Set<string>()
  const done = new Set<string>()
  const [chunks, environments]: [string[], string[]] = [[], []]
  // The inspector's types do not know the domain of workers.
  const inspector = session as unknown as {
    readonly post: (method: string, params: object) => Promise<unknown>
    readonly on: (event: string, listener: (event: never) => void) => void
  }
  inspector.on('NodeWorker.attachedToWorker', ({ params }: { params: { sessionId: string } }) => {
    workers.add(params.sessionId)
  })
  inspector.on('NodeWorker.receivedMessageFromWorker', ({ params }: FromWorker) => {
    const { id, method, params: given, result } = JSON.parse(params.message)
    if (id === 2) environments.push(result.result.value)
    if (method === 'HeapProfiler.addHeapSnapshotChunk') chunks.push(given.chunk)
    if (id === 1) done.add(params.sessionId)
  })
  await inspector.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  await until('a worker', async () => workers.size > 0, SOON)
  const messages = [
    { id: 2, method: 'Runtime.evaluate', params: { expression: 'JSON.stringify(process.env)' } },
    { id: 1, method: 'HeapProfiler.takeHeapSnapshot', params: {} },
  ].map((message) => JSON.stringify(message))
  for (const sessionId of workers)
    for (const message of messages) await inspector.post('NodeWorker.sendMessageToWorker', { sessionId, message })
  await until('all snapshots', async () => done.size === workers.size, SOON)
  session.disconnect()
  return { heap: chunks.join(''), environments }
}

test('the worker thread knows the reservation, and neither the password of its SUT nor the keys of the vault', async (t) => {
  const key = randomUUID()
  process.env.BERTH_VAULT_KEY = key
  const { sut, listenPort, reservationId, see } = await startForwarded(t, {
    forwarding: { protocol: 'vnc', reservationId: 'seen-in-the-heap' },
    ...loggingIn(PASSWORD),
  })
  const led = speakAsClient(await connectTo(t, listenPort), '3.8')
  const { chosen } = await speakAsSut(await sut.accepted(), { version: '3.8', types: [2] })
  t.is(chosen, 2, 'the SUT asked for its password')
  await led
  await see('the connection', ({ connected }) => connected.length === 1)
  const { heap, environments } = await lookIntoWorkers()
  t.true(heap.includes(reservationId), 'control: what the thread was told is found')
  t.false(heap.includes(PASSWORD))
  t.is(environments.length, 1)
  t.true(environments.join().includes('PATH'), 'control: its environment is found')
  for (const text of [heap, ...environments]) t.false(text.includes(key))
})
