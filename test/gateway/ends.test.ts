import test, { type ExecutionContext } from 'ava'
import { startForwarded } from './harness.ts'
import { connectTo } from './peers.ts'

/** A gateway with one connection open. */
const open = async (t: ExecutionContext) => {
  const opened = await startForwarded(t)
  const client = await connectTo(t, opened.listenPort)
  const machine = await opened.sut.accepted()
  await opened.see('the connection', ({ connected }) => connected.length === 1)
  return { ...opened, client, machine }
}

test('a close resets connections on both sides, and frees the port', async (t) => {
  const { client, machine, reported, gateway, reservationId, listenPort, see } = await open(t)
  gateway.close(reservationId, 'over')
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.is(await client.ending, 'reset')
  t.is(await machine.ending, 'reset')
  t.is(reported.disconnected[0]?.cause, 'over')
  const late = await connectTo(t, listenPort)
  t.is(await late.ending, 'reset', 'the port is closed')
})

test('opening a reservation again leaves its connections open', async (t) => {
  const { gateway, client, machine, forwarding } = await open(t)
  t.true(await gateway.open(forwarding))
  client.socket.write('x')
  t.is((await machine.take(1)).toString(), 'x')
})

test('a stop resets all connections and has reported them when it resolves', async (t) => {
  const { gateway, client, reported } = await open(t)
  await gateway.stop()
  t.is(reported.disconnected[0]?.cause, 'stopped')
  t.is(await client.ending, 'reset')
})
