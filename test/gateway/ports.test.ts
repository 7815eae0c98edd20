import { once } from 'node:events'
import { createServer } from 'node:net'
import test from 'ava'
import { startGateway } from './harness.ts'
import { connectTo, freePort, HOST, startSut } from './peers.ts'

test('a taken port is reported once, opened when it is free, and delays no other port', async (t) => {
  const sut = await startSut(t)
  const listenPort = await freePort()
  const other = createServer().listen(listenPort, HOST)
  await once(other, 'listening')
  const { gateway, forward, see, reported } = startGateway(t)
  const forwarding = await forward(sut.port, { listenPort })
  t.deepEqual(reported.ports, ['EADDRINUSE'])
  t.false(await gateway.open(forwarding))

  await connectTo(t, (await forward(sut.port)).listenPort)
  await see('the other port', ({ connected }) => connected.length === 1)

  await new Promise((resolve) => other.close(resolve))
  await see('the port', ({ ports }) => ports.length === 3)
  t.deepEqual(reported.ports, ['EADDRINUSE', 'opened', 'opened'])
  await connectTo(t, listenPort)
  await see('a connection', ({ connected }) => connected.length === 2)
})

test('a taken port whose reservation is over is not opened later', async (t) => {
  const listenPort = await freePort()
  const other = createServer().listen(listenPort, HOST)
  await once(other, 'listening')
  const { gateway, forward, reported } = startGateway(t, { portRetryMs: 1 })
  const { reservationId } = await forward(80, { listenPort })
  gateway.close(reservationId, 'over')
  // Orders are followed in order: the port has been closed.
  await forward(80)
  await new Promise((resolve) => other.close(resolve))
  for (let n = 0; n < 5; n++) await forward(80)
  t.deepEqual(reported.ports, ['EADDRINUSE', ...Array(6).fill('opened')])
  t.is(await (await connectTo(t, listenPort)).ending, 'reset')
})

test('the next reservation of a SUT gets its port at once, even if the previous one was not closed', async (t) => {
  const sut = await startSut(t)
  const { gateway, forward, see, reported } = startGateway(t)
  const listenPort = await freePort()
  for (let n = 0; n < 20; n++) {
    const { reservationId } = await forward(sut.port, { listenPort })
    const client = await connectTo(t, listenPort)
    await see('the connection', ({ connected }) => connected.length === n + 1)
    if (n % 2 === 0) gateway.close(reservationId, 'released')
    else await forward(sut.port, { listenPort, reservationId: `${reservationId} next` })
    t.is(await client.ending, 'reset')
  }
  t.deepEqual(new Set(reported.ports), new Set(['opened']))
  await see('all ends', ({ disconnected }) => disconnected.length === 20)
  t.deepEqual(new Set(reported.disconnected.map(({ cause }) => cause)), new Set(['released', 'over']))
})
