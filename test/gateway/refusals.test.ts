import { networkInterfaces } from 'node:os'
import test, { type ExecutionContext } from 'ava'
import type { Verdict } from '../../src/gateway/messages.ts'
import { startForwarded, startGateway } from './harness.ts'
import { connectTo, freePort, HOST, startSut } from './peers.ts'

const ADMITTED: Verdict = { admitted: true, isBound: true, hasPassword: false }
const NOT_BOUND: Verdict = { admitted: false, reason: 'not_bound' }

/** Connects and expects a reset without a byte. */
const isReset = async (t: ExecutionContext, port: number): Promise<void> => {
  const client = await connectTo(t, port)
  t.is(await client.ending, 'reset')
  t.is(client.received().length, 0)
}

test('a client that may not connect is reset without a byte, and never reaches the SUT', async (t) => {
  const { sut, listenPort, see, reported } = await startForwarded(t, { admit: () => NOT_BOUND })
  for (let n = 0; n < 3; n++) await isReset(t, listenPort)
  await see('the refusals', ({ refused }) => refused.not_bound === 3)
  t.is(sut.sockets.length, 0)
  t.deepEqual(reported.connected, [])
})

test('a client that connects right after the reservation was opened again gets the new verdict', async (t) => {
  let verdict: Verdict = NOT_BOUND
  const { gateway, forwarding } = await startForwarded(t, {
    handle: (socket) => void socket.end('x'),
    admit: () => verdict,
  })
  for (let round = 0; round < 50; round++) {
    verdict = NOT_BOUND
    await gateway.open(forwarding)
    // The thread is still busy with them.
    await Promise.all(Array.from({ length: 5 }, () => isReset(t, forwarding.listenPort)))
    verdict = ADMITTED
    gateway.open(forwarding)
    const client = await connectTo(t, forwarding.listenPort)
    t.is(await client.ending, 'end')
    client.socket.end()
  }
})

test('a verdict that was pending when the reservation changed is asked for again', async (t) => {
  const first = Promise.withResolvers<Verdict>()
  let asked = 0
  const { gateway, forwarding, see } = await startForwarded(t, {
    admit: () => (asked++ === 0 ? first.promise : NOT_BOUND),
  })
  const client = await connectTo(t, forwarding.listenPort)
  await see('the question', () => asked === 1)
  await gateway.open(forwarding)
  first.resolve(ADMITTED)
  t.is(await client.ending, 'reset')
  t.is(asked, 2)
})

test('a client is refused if no verdict comes', async (t) => {
  const { listenPort, see, reported } = await startForwarded(t, { admit: () => Promise.reject(new Error('no key')) })
  await isReset(t, listenPort)
  await see('the refusal', ({ refused }) => refused.undecided === 1)
  t.is(String(reported.undecided[0]), 'Error: no key')
})

test('an IPv4-mapped IPv6 address is asked about as IPv4', async (t) => {
  const { listenPort, see, reported } = await startForwarded(t, { host: '::' })
  await connectTo(t, listenPort)
  await connectTo(t, listenPort, '::1')
  await see('both', ({ asked }) => asked.length === 2)
  t.deepEqual(reported.asked.toSorted(), ['127.0.0.1', '::1'])
})

test('connections are limited in total, and one of a reservation that has none is refused', async (t) => {
  const { sut, listenPort, forward, see, reported } = await startForwarded(t, { connectionsMax: 2 })
  const other = await forward(sut.port)
  const first = await connectTo(t, listenPort)
  await connectTo(t, listenPort)
  await see('two connections', ({ connected }) => connected.length === 2)
  await isReset(t, other.listenPort)
  await see('the refusal', ({ refused }) => refused.full === 1)

  first.socket.resetAndDestroy()
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  await connectTo(t, other.listenPort)
  await see('a free place', ({ connected }) => connected.length === 3)
  t.deepEqual(reported.refused, { full: 1 })
})

test('a SUT that refuses, or whose name is unknown, resets the client and is reported', async (t) => {
  const { forward, see, reported } = startGateway(t)
  await isReset(t, (await forward(await freePort())).listenPort)
  await see('a failure', ({ failed }) => failed.length === 1)
  await isReset(t, (await forward(80, { host: 'no-such-machine.invalid' })).listenPort)
  await see('both failures', ({ failed }) => failed.length === 2)
  t.deepEqual(reported.failed, ['refused', 'unknown_host'])
  t.deepEqual(reported.disconnected, [], 'no session')
})

/** All ways to write an address of this machine. */
const ownAddresses = (): readonly string[] => {
  const interfaces = Object.values(networkInterfaces()).flatMap((each = []) => each)
  const outside = interfaces.filter(({ internal, scopeid }) => !internal && !scopeid).map(({ address }) => address)
  return [HOST, '127.1.2.3', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', 'localhost', ...outside]
}

test('the gateway does not connect to the API or a listen port of the service', async (t) => {
  const api = await startSut(t)
  const { forward, see, reported } = startGateway(t, { ownPorts: [api.port] })
  const { listenPort } = await forward(api.port, { host: '192.0.2.1' })
  for (const host of ownAddresses()) {
    for (const port of [api.port, listenPort]) {
      const before = reported.failed.length
      await isReset(t, (await forward(port, { host })).listenPort)
      await see(`${host} ${port}`, ({ failed }) => failed.length === before + 1)
    }
  }
  t.true(reported.failed.length > 10)
  t.deepEqual(new Set(reported.failed), new Set(['own_address']))
  t.is(api.sockets.length, 0)
})

test('a changed binding cuts the connections of the former address only', async (t) => {
  let bound = [HOST, '::1']
  const { gateway, reservationId, listenPort, see, reported } = await startForwarded(t, {
    host: '::',
    admit: (_id, address) => (bound.includes(address) ? ADMITTED : NOT_BOUND),
  })
  const former = await connectTo(t, listenPort)
  const present = await connectTo(t, listenPort, '::1')
  await see('both connections', ({ connected }) => connected.length === 2)
  bound = ['::1']
  gateway.reconsider(reservationId)
  t.is(await former.ending, 'reset')
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.is(reported.disconnected[0]?.cause, 'barred')
  t.false(present.socket.destroyed)
  await isReset(t, listenPort)
})
