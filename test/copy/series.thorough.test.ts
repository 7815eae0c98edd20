import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { copyLog } from '../../src/copy/copy-log.ts'
import { sutStream } from '../../src/domain/values/ids.ts'
import { idOf } from '../domain/builders.ts'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { failure } from '../event-store/eventstoredb/protocol/wire.ts'
import { aTarget, copied, fails } from './copying.ts'
import { anEmbeddedLog, notes, record, textsOf } from './histories.ts'

/** Appends sent without waiting for each answer. */

const STREAMS = 25
const RUNS = 600

const aCopy = async (t: ExecutionContext) => {
  const server = await startProtocolServer()
  t.teardown(server.close)
  const { store: source } = await anEmbeddedLog(t)
  await record(
    source,
    Array.from({ length: RUNS }, (_, n) => notes(sutStream(idOf((n * 7) % STREAMS)), 1 + (n % 2), `run ${n}`)),
  )
  return { server, source, target: await aTarget(t, source, server.address), texts: await textsOf(source) }
}

test('a log with alternating streams is copied in order, with many appends in flight', async (t) => {
  const { server, source, target, texts } = await aCopy(t)
  const shown: number[] = []
  await copyLog({ source, target, onProgress: (done) => shown.push(done) })
  t.deepEqual(await textsOf(target), texts)
  t.is(server.counters.batchAppends, RUNS)
  t.is(shown.at(-1), texts.length)
  t.true(shown.length >= 3)
})

for (const how of ['lost', 'lost-silent'] as const) {
  test(`thorough: a copy is completed although the answer to an append is ${how}`, async (t) => {
    const { server, source, target, texts } = await aCopy(t)
    let seen = 0
    server.faultAppends({ how, when: ({ way }) => way === 'batch' && ++seen === 300 })
    await copied(source, target)
    t.deepEqual(await textsOf(target), texts)
  })
}

test('thorough: a copy is completed although the connection is lost', async (t) => {
  const { server, source, target, texts } = await aCopy(t)
  let appends = 0
  t.teardown(server.log.watch(() => ++appends === 300 && server.dropConnections()))
  await copied(source, target)
  t.deepEqual(await textsOf(target), texts)
})

test('a node that refuses an append but accepts later ones is detected', async (t) => {
  const { server, source, target } = await aCopy(t)
  let seen = 0
  const busy = failure(status.UNAVAILABLE, 'Server Is Busy')
  server.faultAppends({ how: 'refused', failure: busy, when: ({ way }) => way === 'batch' && ++seen === 300 })
  await fails(t, source, target, /another order; copy into an empty one$/)
})
