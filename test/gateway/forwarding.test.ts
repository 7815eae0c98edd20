import test from 'ava'
import { rounds } from '../thorough.ts'
import { startForwarded } from './harness.ts'
import { connectTo } from './peers.ts'
import { transferBothWays } from './transfer.ts'

test('bytes pass both ways, and each direction ends on its own', async (t) => {
  const { sut, listenPort, reservationId, see, reported } = await startForwarded(t)
  const client = await connectTo(t, listenPort)
  client.socket.end('a question')
  const machine = await sut.accepted()
  t.is(await machine.ending, 'end', 'the client has ended its direction')
  t.is(machine.received().toString(), 'a question')

  machine.socket.write('half an answer, ')
  await client.take(16)
  t.false(client.socket.readableEnded, 'the other direction is still open')
  machine.socket.end('and the rest')
  t.is(await client.ending, 'end')
  t.is(client.received().toString(), 'half an answer, and the rest')

  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.like(reported.disconnected[0], { reservationId, cause: 'client', bytesToSut: 10, bytesFromSut: 28 })
  t.like(reported.connected[0], { reservationId, connection: reported.disconnected[0]?.connection as number })
})

test('a SUT that ends its direction first still receives bytes', async (t) => {
  const { sut, listenPort, see, reported } = await startForwarded(t)
  const client = await connectTo(t, listenPort)
  const machine = await sut.accepted()
  machine.socket.end()
  t.is(await client.ending, 'end')
  client.socket.end('still sent')
  t.is(await machine.ending, 'end')
  t.is(machine.received().toString(), 'still sent')
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.like(reported.disconnected[0], { cause: 'sut', bytesToSut: 10, bytesFromSut: 0 })
})

test('bytes and an end that a client sends before the SUT is reached are forwarded', async (t) => {
  const { sut, listenPort } = await startForwarded(t, {
    admit: async () => {
      await new Promise(setImmediate)
      return { admitted: true, isBound: false, hasPassword: false }
    },
  })
  for (const text of ['early', '']) {
    const client = await connectTo(t, listenPort)
    client.socket.end(text)
    const machine = await sut.accepted(text === '' ? 1 : 0)
    t.is(await machine.ending, 'end')
    t.is(machine.received().toString(), text)
  }
})

test('a reset by the client reaches the SUT as a reset, and vice versa', async (t) => {
  const { sut, listenPort, see, reported } = await startForwarded(t)
  for (const [index, side] of (['client', 'sut'] as const).entries()) {
    const client = await connectTo(t, listenPort)
    const machine = await sut.accepted(index)
    client.socket.write('x')
    await machine.take(1)
    const [resetting, other] = side === 'client' ? [client, machine] : [machine, client]
    resetting.socket.resetAndDestroy()
    t.is(await other.ending, 'reset')
    await see('the end', ({ disconnected }) => disconnected.length === index + 1)
    t.is(reported.disconnected[index]?.cause, side)
  }
})

test('many MiB each way at once arrive byte for byte, and are counted', async (t) => {
  const size = rounds(10, 100) * 2 ** 20
  const { problems, counted } = await transferBothWays(t, size)
  t.deepEqual(problems, [])
  t.like(counted, { bytesToSut: size, bytesFromSut: size })
})
