import { PassThrough } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { watchHalfClosed } from '../../src/gateway/connections/half-closed.ts'
import { until } from '../http/until.ts'
import { SOON, startGateway, type TestGateway } from './harness.ts'
import { connectTo, type Peer, startSut } from './peers.ts'

/** A client that has closed, and the machine that has seen it do so and says nothing. */
const halfClose = async (t: ExecutionContext, { see, reported }: TestGateway, port: number): Promise<Peer> => {
  const before = reported.connected.length
  const client = await connectTo(t, port)
  await see('the connection', ({ connected }) => connected.length > before)
  client.socket.end()
  return client
}

test('a half-closed connection that moves nothing is cut', async (t) => {
  const sut = await startSut(t)
  const opened = startGateway(t, { halfClosedTimeoutMs: 100 })
  const { listenPort } = await opened.forward(sut.port)
  const client = await halfClose(t, opened, listenPort)
  t.is(await (await sut.accepted()).ending, 'end')
  t.is(await client.ending, 'reset')
  await opened.see('the end', ({ disconnected }) => disconnected.length === 1)
  t.is(opened.reported.disconnected[0]?.cause, 'client')
})

test('a client that closes and resets before a silent machine is noticed, and one that still sends is not cut', async (t) => {
  const sut = await startSut(t)
  const opened = startGateway(t, { halfClosedTimeoutMs: 300 })
  const { listenPort } = await opened.forward(sut.port)
  const gone = await halfClose(t, opened, listenPort)
  await (await sut.accepted()).ending
  gone.socket.resetAndDestroy()
  const open = await connectTo(t, listenPort)
  await opened.see('the end', ({ disconnected }) => disconnected.length === 1)
  open.socket.write('x')
  t.is((await (await sut.accepted(1)).take(1)).toString(), 'x')
})

test('a half-closed connection is not cut while bytes move', async (t) => {
  const client = new PassThrough()
  let [looks, isMoving, isIdle] = [0, true, false]
  const since = performance.now()
  const movedAt = (): number => {
    looks++
    return isMoving ? performance.now() : since
  }
  const { idleSince } = watchHalfClosed(client, movedAt, 5, () => {
    isIdle = true
  })
  t.is(idleSince(), undefined)
  client.resume().end()
  await until('several looks', async () => looks > 3, SOON)
  t.false(isIdle)
  isMoving = false
  await until('the end', async () => isIdle, SOON)
})

for (const limit of [{ connectionsOfOneMax: 3 }, { connectionsMax: 3 }]) {
  test(`at ${Object.keys(limit)} a new connection takes the place of the oldest half-closed one`, async (t) => {
    const sut = await startSut(t)
    const opened = startGateway(t, { ...limit, displaceableAfterMs: 0 })
    const { listenPort } = await opened.forward(sut.port)
    const open = await connectTo(t, listenPort)
    const closed: Peer[] = []
    for (const index of [1, 2]) {
      closed.push(await halfClose(t, opened, listenPort))
      await (await sut.accepted(index)).ending
    }
    for (const [n, oldest] of closed.entries()) {
      const added = await connectTo(t, listenPort)
      t.is(await oldest.ending, 'reset')
      added.socket.write('x')
      t.is((await (await sut.accepted(3 + n)).take(1)).toString(), 'x')
    }
    t.is(await (await connectTo(t, listenPort)).ending, 'reset', 'nobody else has half-closed')
    open.socket.write('x')
    t.is((await (await sut.accepted()).take(1)).toString(), 'x')
  })
}
test('at a limit a half-closed connection that has just moved something keeps its place', async (t) => {
  const sut = await startSut(t)
  const opened = startGateway(t, { connectionsOfOneMax: 1, displaceableAfterMs: 60_000 })
  const { listenPort } = await opened.forward(sut.port)
  const client = await halfClose(t, opened, listenPort)
  const machine = await sut.accepted()
  await machine.ending
  t.is(await (await connectTo(t, listenPort)).ending, 'reset')
  machine.socket.write('x')
  t.is((await client.take(1)).toString(), 'x')
})
