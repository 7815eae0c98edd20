import { status } from '@grpc/grpc-js'
import test from 'ava'
import { append, aStream, done, someEvents } from '../new-events.ts'
import { failure } from './protocol/wire.ts'
import { aServer } from './server-and-client.ts'
import { openAdapter } from './service/instances.ts'

const foreign = () => ({
  id: crypto.randomUUID(),
  type: 'Noted',
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.of(),
})

test('concurrent head reads return the last Berth event, even with events of other applications after it', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
  await append(store, stream, -1, someEvents(stream, 1))
  await store.head()
  const { storePosition } = done(await append(store, stream, 0, someEvents(stream, 1)))
  for (let i = 0; i < 3; i++) server.log.append('other-1', 'any', [foreign()])
  // The first is delayed, so the second returns before it.
  server.delayAnswers(100)
  const asked = server.counters.reads
  const first = store.head()
  while (server.counters.reads === asked) await new Promise(setImmediate)
  server.delayAnswers(0)
  t.is(await store.head(), storePosition)
  t.is(await first, storePosition)
})

test('a head read with an empty answer is repeated, as its starting event must exist', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
  const { storePosition } = done(await append(store, stream, -1, someEvents(stream, 1)))
  server.failNext('read', failure(status.OK, ''), 2)
  const { reads } = server.counters
  t.is(await store.head(), storePosition)
  t.is(server.counters.reads, reads + 3)
})
