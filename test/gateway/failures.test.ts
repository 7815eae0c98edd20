import test from 'ava'
import { deafPort } from './deaf.ts'
import { startForwarded, startGateway } from './harness.ts'
import { connectTo } from './peers.ts'

test('after a failure of the thread its connections are lost, and the next call starts another', async (t) => {
  const { forwarding, gateway, see, reported } = await startForwarded(t, { countEveryMs: 20 })
  const client = await connectTo(t, forwarding.listenPort)
  client.socket.write('hello')
  await see('the count', ({ counted }) => counted.at(-1)?.bytesToSut === 5)
  const opened = gateway.open(undefined as never)
  await see('the failure', ({ errors }) => errors.length === 1)
  t.false(await opened)
  t.not(await client.ending, undefined)
  t.like(reported.disconnected, [
    { cause: 'lost', reservationId: forwarding.reservationId, bytesToSut: 5, bytesFromSut: 0 },
  ])
  t.true(await gateway.open(forwarding))
  await connectTo(t, forwarding.listenPort)
  await see('a new connection', ({ connected }) => connected.length === 2)
})

test('a port that does not exist is reported as one that cannot be opened', async (t) => {
  const { forward, reported } = startGateway(t)
  const forwarding = await forward(80, { listenPort: 70_000 })
  t.deepEqual(reported.ports, ['ERR_SOCKET_BAD_PORT'])
  t.deepEqual(reported.errors, [])
  t.is(forwarding.listenPort, 70_000)
})

test('a SUT that does not answer within the timeout resets the client', async (t) => {
  const { forward, see, reported } = startGateway(t, { connectTimeoutMs: 300 })
  const client = await connectTo(t, (await forward(await deafPort(t))).listenPort)
  t.is(await client.ending, 'reset')
  await see('the failure', ({ failed }) => failed.length === 1)
  t.deepEqual(reported.failed, ['timed_out'])
})
