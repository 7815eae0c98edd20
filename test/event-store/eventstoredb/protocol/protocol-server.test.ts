import { once } from 'node:events'
import { streamNameFilter } from '@eventstore/db-client'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { ChannelCredentials, Metadata } from '@grpc/grpc-js'
import test from 'ava'
import { aStream, positionOf, someEvents, take } from '../conformance/law.ts'
import { aPair, aServer } from '../server-and-client.ts'
import { identifierOf } from './wire.ts'

// The client sends credentials only over TLS, so this test sends the header itself.
const firstAnswer = async (port: number, user: string): Promise<unknown> => {
  const client = new StreamsClient(`127.0.0.1:${port}`, ChannelCredentials.createInsecure())
  const metadata = new Metadata()
  metadata.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`)
  const one = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifierOf('any'))
  const options = new streams.ReadReq.Options().setStream(one).setCount('1')
  const call = client.read(new streams.ReadReq().setOptions(options), metadata)
  try {
    const [answer] = await once(call, 'data')
    return answer.hasStreamNotFound()
  } finally {
    client.close()
  }
}

test('only correct credentials are accepted', async (t) => {
  const { endpoint } = await aServer(t, { users: { berth: 'a:secret' } })
  t.true(await firstAnswer(endpoint.port, 'berth:a:secret'))
  for (const user of ['berth:wrong', 'nobody:a:secret', 'nobody']) {
    await t.throwsAsync(firstAnswer(endpoint.port, user), { message: /UNAUTHENTICATED/ })
  }
})

test('a filtered subscription sends checkpoints for skipped events', async (t) => {
  const { store } = await aPair(t)
  const stream = aStream('kept')
  const first = await store.append(aStream('left-out'), 'no_stream', someEvents(40))
  const checkpoints: bigint[] = []
  const filter = streamNameFilter({
    prefixes: ['kept'],
    maxSearchWindow: 10,
    checkpointReached: async (_, { commit }) => void checkpoints.push(commit),
  })
  await store.append(stream, 'no_stream', someEvents(1))
  await take(store.client.subscribeToAll({ filter }), 1)
  t.is(checkpoints.length, 4)
  t.true(checkpoints.every((commit) => commit <= positionOf({ ...first }).commit))
})

for (const [version, expected] of [
  ['24.6.0', ['caughtUp']],
  ['23.10.8', []],
] as const) {
  test(`subscribing to a missing stream sends ${expected.join() || 'nothing'} on ${version}`, async (t) => {
    const { store } = await aPair(t, { version })
    const subscription = store.client.subscribeToStream(aStream())
    const received: string[] = []
    subscription.on('caughtUp', () => received.push('caughtUp'))
    await once(subscription, 'confirmation')
    // A response on the same connection arrives after everything sent before it.
    await store.append(aStream(), 'no_stream', someEvents(1))
    t.deepEqual(received, [...expected])
  })
}
