import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { respondToChallenge } from '../../src/gateway/rfb/challenge.ts'
import { startGateway } from './harness.ts'
import { connectTo, startSut } from './peers.ts'
import { PASSWORD, speakAsClient, speakAsSut } from './rfb/speakers.ts'

/** Opens a gateway to a SUT, and attaches a client in this process. */
const attach = async (t: Parameters<typeof startSut>[0], hasPassword = false) => {
  const sut = await startSut(t)
  const opened = startGateway(t, {
    connectionsOfOneMax: 2,
    answerChallenge: (_id, challenge) => respondToChallenge(PASSWORD, challenge),
  })
  const forwarding = await opened.forward(sut.port, { protocol: 'vnc' })
  const attached = await opened.gateway.attach(forwarding.reservationId, { hasPassword })
  if ('refused' in attached) throw new Error(attached.refused)
  return { ...opened, sut, forwarding, ...attached }
}

test('a client in this process is connected without a verdict, both ways, with half-closes', async (t) => {
  const { stream, connection, sut, reported, see } = await attach(t)
  const sent = randomBytes(3 * 2 ** 20)
  stream.end(sent)
  const machine = await sut.accepted()
  t.is(await machine.ending, 'end')
  t.true(machine.received().equals(sent))
  machine.socket.end(sent)
  const received: Buffer[] = []
  for await (const chunk of stream) received.push(chunk as Buffer)
  t.true(Buffer.concat(received).equals(sent))
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.like(reported.disconnected[0], { connection, bytesToSut: sent.length, bytesFromSut: sent.length, cause: 'client' })
  t.deepEqual(reported.asked, [])
})

test('a client in this process that does not read stalls the SUT', async (t) => {
  const { stream, sut } = await attach(t)
  const { socket } = await sut.accepted()
  const chunk = Buffer.alloc(2 ** 20)
  let sent = 0
  while (socket.write(chunk) || (await Promise.race([once(socket, 'drain').then(() => true), delay(300)]))) {
    sent += chunk.length
    if (sent > 200 * chunk.length) break
  }
  t.true(sent < 100 * chunk.length, `${sent} bytes`)
  stream.resume()
  await once(socket, 'drain')
  t.pass('it goes on')
})

test('a client in this process is logged in to a SUT with a password', async (t) => {
  const { stream, sut, forwarding } = await attach(t, true)
  // A socket, for the tests' VNC client.
  const bridge = await startSut(t, (socket) => void stream.pipe(socket).pipe(stream))
  const led = speakAsClient(await connectTo(t, bridge.port), '3.8')
  await speakAsSut(await sut.accepted(), { version: '3.8', types: [2] })
  t.deepEqual((await led).types, [1, 0])
  t.is(forwarding.protocol, 'vnc')
})

test('a client in this process is destroyed at the end, but not by a changed binding', async (t) => {
  const { stream, gateway, forwarding, sut, see, reported, connection } = await attach(t)
  const machine = await sut.accepted()
  gateway.reconsider(forwarding.reservationId)
  stream.write('x')
  await machine.take(1)
  const closed = once(stream, 'close')
  gateway.close(forwarding.reservationId, 'released')
  await closed
  t.is(await machine.ending, 'reset')
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.like(reported.disconnected[0], { connection, cause: 'released' })
})

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

test('a client in this process that leaves resets the SUT', async (t) => {
  const { stream, sut } = await attach(t)
  const machine = await sut.accepted()
  stream.destroy()
  t.is(await machine.ending, 'reset')
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
