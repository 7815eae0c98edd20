import test from 'ava'
import { startGateway } from './harness.ts'
import { connectTo, HOST, startSut } from './peers.ts'

test('a client waits for the probe of its SUT that is under way, and others do not', async (t) => {
  const [sut, other] = [await startSut(t), await startSut(t)]
  const { gateway, forward, see } = startGateway(t)
  const [held, free] = [await forward(sut.port), await forward(other.port)]
  const [release, releaseToo] = [
    gateway.hold({ host: HOST, port: sut.port }),
    gateway.hold({ host: HOST, port: sut.port }),
  ]
  const client = await connectTo(t, held.listenPort)
  const gone = await connectTo(t, held.listenPort)
  gone.socket.resetAndDestroy()
  client.socket.write('x')
  release()
  await connectTo(t, free.listenPort)
  await see('the connection to the other', ({ connected }) => connected.length === 1)
  t.is(sut.sockets.length, 0)
  releaseToo()
  t.is((await (await sut.accepted()).take(1)).toString(), 'x')
})
