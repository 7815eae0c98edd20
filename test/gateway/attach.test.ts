import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { startForwarded } from './harness.ts'
import { connectTo } from './peers.ts'

/** Opens a gateway to a SUT, and attaches a client in this process. */
const attach = async (t: ExecutionContext) => {
  const opened = await startForwarded(t, { connectionsOfOneMax: 2, forwarding: { protocol: 'vnc' } })
  const attached = await opened.gateway.attach(opened.reservationId, { hasPassword: false })
  if ('refused' in attached) throw new Error(attached.refused)
  return { ...opened, ...attached }
}

test('a cut ends every connection of its reservation, with its cause, and leaves the port open', async (t) => {
  const { stream, gateway, forwarding, sut, see, reported, forward } = await attach(t)
  const other = await forward(sut.port)
  const [client, ofOther] = [await connectTo(t, forwarding.listenPort), await connectTo(t, other.listenPort)]
  await see('all connections', ({ connected }) => connected.length === 3)
  const closed = once(stream, 'close')
  gateway.cut(forwarding.reservationId, 'barred')
  await see('the ends', ({ disconnected }) => disconnected.length === 2)
  await closed
  t.is(await client.ending, 'reset')
  t.deepEqual(new Set(reported.disconnected.map(({ cause }) => cause)), new Set(['barred']))
  await connectTo(t, forwarding.listenPort)
  await see('another connection', ({ connected }) => connected.length === 4)
  t.false(ofOther.socket.destroyed)
})

test('a client in this process that has ended its direction and then leaves resets the SUT', async (t) => {
  const { stream, sut, see, reported } = await attach(t)
  const machine = await sut.accepted()
  stream.end('the last bytes')
  t.is(await machine.ending, 'end')
  stream.destroy()
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.is(reported.disconnected[0]?.cause, 'client')
})

test('clients in this process are subject to the same limits', async (t) => {
  const { gateway, forwarding, see } = await attach(t)
  const { reservationId } = forwarding
  const other = await connectTo(t, forwarding.listenPort)
  await see('both connections', ({ connected }) => connected.length === 2)
  for (let n = 0; n < 2; n++) t.false('refused' in (await gateway.attach(reservationId, { hasPassword: false })))
  t.is(await other.ending, 'reset')
  gateway.close(reservationId, 'over')
  t.deepEqual(await gateway.attach(reservationId, { hasPassword: false }), { refused: 'over' })
})
