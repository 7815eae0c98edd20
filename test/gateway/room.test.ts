/** A new connection of a reservation takes the place of its oldest one. */

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { SOON, startForwarded, startGateway } from './harness.ts'
import { connectTo, freePort, HOST, type Peer } from './peers.ts'

const says = async (peer: Peer, other: Peer): Promise<string> => {
  peer.socket.write('x')
  return (await other.take(1)).toString()
}

for (const limit of [{ connectionsOfOneMax: 2 }, { connectionsMax: 2 }])
  test(`at ${Object.keys(limit)} a new connection takes the place of the oldest of its reservation`, async (t) => {
    const { sut, listenPort, see, reported } = await startForwarded(t, limit)
    const [first, second] = [await connectTo(t, listenPort), await connectTo(t, listenPort)]
    await see('two connections', ({ connected }) => connected.length === 2)
    const third = await connectTo(t, listenPort)
    t.is(await first.ending, 'reset')
    t.is(await says(third, await sut.accepted(2)), 'x')
    t.is(await says(second, await sut.accepted(1)), 'x')
    await see('one end', ({ disconnected }) => disconnected.length === 1)
    t.is(reported.disconnected[0]?.cause, 'client')
    t.deepEqual(reported.refused, {})
  })

/** A machine for one viewer, which gets a byte: while it has one, it does not listen or closes others at once. */
const startOneViewer = async (t: ExecutionContext, refuses: 'by not listening' | 'by closing') => {
  const port = await freePort()
  let viewer: Socket | undefined
  let isOver = false
  const listen = () => server.listen({ port, host: HOST })
  const server = createServer((socket) => {
    if (viewer !== undefined) return void socket.end()
    viewer = socket
      .on('error', () => undefined)
      .once('close', () => {
        viewer = undefined
        if (refuses === 'by not listening' && !isOver) listen()
      })
    socket.write('x')
    if (refuses === 'by not listening') server.close()
  })
  listen()
  await once(server, 'listening')
  t.teardown(() => {
    isOver = true
    server.close()
    viewer?.destroy()
  })
  return port
}

/** Connects until a machine says something. */
const connectUntilHeard = (t: ExecutionContext, listenPort: number): Promise<void> =>
  until(
    'a connection that is let in',
    async () => {
      const peer = await connectTo(t, listenPort)
      return peer.take(1).then(
        () => true,
        () => peer.socket.destroy() === undefined,
      )
    },
    SOON,
  )

for (const refuses of ['by not listening', 'by closing'] as const)
  test(`where a machine for one viewer refuses ${refuses}, its holder's next connection gets in`, async (t) => {
    const { forward } = startGateway(t)
    const { listenPort } = await forward(await startOneViewer(t, refuses))
    const first = await connectTo(t, listenPort)
    t.is((await first.take(1)).toString(), 'x')
    await connectUntilHeard(t, listenPort)
    t.is(await first.ending, 'reset')
  })

test('a machine that answers and closes is not in use, and no connection is cut', async (t) => {
  let count = 0
  const { listenPort, see, reported } = await startForwarded(t, {
    handle: (socket) => void (count++ === 0 ? socket.write('x') : socket.end('y')),
  })
  const first = await connectTo(t, listenPort)
  await first.take(1)
  for (let n = 1; n <= 3; n++) {
    const next = await connectTo(t, listenPort)
    t.is((await next.take(1)).toString(), 'y')
    next.socket.end()
    await see('its end', ({ disconnected }) => disconnected.length === n)
  }
  t.false(reported.disconnected.some(({ connection }) => connection === reported.connected[0]?.connection))
  first.socket.destroy()
})
