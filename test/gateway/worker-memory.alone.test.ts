import { Session } from 'node:inspector/promises'
import test from 'ava'
import { respondToChallenge } from '../../src/gateway/rfb/challenge.ts'
import { until } from '../http/until.ts'
import { SOON, startGateway } from './harness.ts'
import { connectTo, startSut } from './peers.ts'
import { PASSWORD, speakAsClient, speakAsSut } from './rfb/speakers.ts'

interface FromWorker {
  readonly params: { readonly sessionId: string; readonly message: string }
}

/** The text of heap snapshots of this process's worker threads, taken through the inspector. */
const heapsOfWorkers = async (): Promise<string> => {
  const session = new Session()
  session.connect()
  const workers = new Set<string>()
  const done = new Set<string>()
  const chunks: string[] = []
  // The inspector's types do not know the domain of workers.
  const inspector = session as unknown as {
    readonly post: (method: string, params: object) => Promise<unknown>
    readonly on: (event: string, listener: (event: never) => void) => void
  }
  inspector.on('NodeWorker.attachedToWorker', ({ params }: { params: { sessionId: string } }) => {
    workers.add(params.sessionId)
  })
  inspector.on('NodeWorker.receivedMessageFromWorker', ({ params }: FromWorker) => {
    const { id, method, params: given } = JSON.parse(params.message)
    if (method === 'HeapProfiler.addHeapSnapshotChunk') chunks.push(given.chunk)
    if (id === 1) done.add(params.sessionId)
  })
  await inspector.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  await until('a worker', async () => workers.size > 0, SOON)
  const message = JSON.stringify({ id: 1, method: 'HeapProfiler.takeHeapSnapshot', params: {} })
  for (const sessionId of workers) await inspector.post('NodeWorker.sendMessageToWorker', { sessionId, message })
  await until('all snapshots', async () => done.size === workers.size, SOON)
  session.disconnect()
  return chunks.join('')
}

test('the worker thread knows the reservation, and never the password of its SUT', async (t) => {
  const sut = await startSut(t)
  const { forward, see } = startGateway(t, {
    admit: () => ({ admitted: true, isBound: true, hasPassword: true }),
    answerChallenge: (_id, challenge) => respondToChallenge(PASSWORD, challenge),
  })
  const { listenPort, reservationId } = await forward(sut.port, { protocol: 'vnc', reservationId: 'seen-in-the-heap' })
  const led = speakAsClient(await connectTo(t, listenPort), '3.8')
  const { chosen } = await speakAsSut(await sut.accepted(), { version: '3.8', types: [2] })
  t.is(chosen, 2, 'the SUT asked for its password')
  await led
  await see('the connection', ({ connected }) => connected.length === 1)
  const heap = await heapsOfWorkers()
  t.true(heap.includes(reservationId), 'control: what the thread was told is found')
  t.false(heap.includes(PASSWORD))
})
