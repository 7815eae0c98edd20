/** The bytes of a console, what slows them down, and what ends it. The SUT has no password: its bytes pass unchanged. */

import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { until } from '../../http/until.ts'
import { type Connected, connected, consoleOf, SOON } from './stage.ts'

test('bytes pass both ways, in messages of any size', async (t) => {
  const { socket, machine, take } = await connected(t)
  const sent = randomBytes(3 * 2 ** 20)
  for (let at = 0, size = 1; at < sent.length; at += size, size = Math.min(size * 3, 2 ** 20)) {
    socket.send(sent.subarray(at, at + size))
  }
  t.true((await machine.take(sent.length)).equals(sent))
  machine.socket.write(sent)
  t.true((await take(sent.length)).equals(sent))
})

test('a message of 1 MiB passes, and a larger one closes the console with 1009', async (t) => {
  const { socket, machine, closed } = await connected(t)
  t.is(socket.extensions, '', 'nothing is compressed')
  socket.send(Buffer.alloc(2 ** 20))
  await machine.take(2 ** 20)
  socket.send(Buffer.alloc(2 ** 20 + 1))
  t.is(await closed, 1009)
  t.is(machine.received().length, 2 ** 20)
})

test('thorough: a text message closes the console with 1003', async (t) => {
  const { socket, machine, closed } = await connected(t)
  socket.send('RFB 003.008\n')
  t.is(await closed, 1003)
  await machine.ending
  t.is(machine.received().length, 0)
})

test('thorough: a SUT that does not read stalls the client', async (t) => {
  const { socket, machine } = await connected(t)
  machine.socket.pause()
  const chunk = Buffer.alloc(2 ** 19)
  let sent = 0
  while (sent < 200) {
    const passed = new Promise<boolean>((resolve) => socket.send(chunk, () => resolve(true)))
    if (!(await Promise.race([passed, delay(500, false)]))) break
    sent++
  }
  t.true(sent < 100, `${sent} messages were taken`)
  machine.socket.resume()
  await until('all bytes', async () => machine.received().length >= sent * chunk.length, SOON)
  t.pass()
})

test('the release closes the console with 4001', async (t) => {
  const { stage, path, closed, machine } = await connected(t)
  await stage.service.as('alice').request('POST', `${path}/cancel`)
  t.is(await closed, 4001)
  t.is(await machine.ending, 'reset')
})

test('thorough: the end closes the console with 4000, also while bytes flow', async (t) => {
  const { stage, closed, machine } = await connected(t)
  const flowing = setInterval(() => machine.socket.writable && machine.socket.write(Buffer.alloc(2 ** 18)), 5)
  stage.service.clock.set('2030-05-02T06:15:00.000Z')
  stage.service.tick()
  t.is(await closed, 4000)
  clearInterval(flowing)
})

test('thorough: a SUT that ends or resets the connection closes the console with 4002', async (t) => {
  const ending = await connected(t)
  ending.machine.socket.end('the last bytes')
  t.is(await ending.closed, 4002)
  t.is(String(ending.received()), 'the last bytes')
  const reset = await connected(t)
  reset.machine.socket.resetAndDestroy()
  t.is(await reset.closed, 4002)
})

test('thorough: a console that is bound elsewhere stays open', async (t) => {
  const { stage, path, machine, take } = await connected(t)
  t.is((await stage.service.as('alice').request('POST', `${path}/update`)).status, 200)
  machine.socket.write('x')
  t.is(String(await take(1)), 'x')
})

const isUnused = async ({ stage, path }: Connected): Promise<boolean> =>
  (await stage.service.as('alice').get(`${path}/connection`)).json.connections === 0

test('a client that leaves ends the connection to the SUT, which gets what was sent', async (t) => {
  const client = await connected(t)
  const { socket, machine } = client
  socket.send(Buffer.from('the last bytes'))
  socket.close()
  t.is(await machine.ending, 'end')
  t.is(String(machine.received()), 'the last bytes')
  machine.socket.end()
  await until('no connection', () => isUnused(client), SOON)
})

test('thorough: a client that disconnects abruptly ends the connection even if the SUT keeps sending', async (t) => {
  const client = await connected(t)
  const { socket, machine } = client
  const flowing = setInterval(() => machine.socket.writable && machine.socket.write('x'), 10)
  socket.terminate()
  t.is(await machine.ending, 'end')
  await machine.closed
  clearInterval(flowing)
  await until('no connection', () => isUnused(client), SOON)
})

test('thorough: a stop is not held up by a client that does not read', async (t) => {
  const { stage, socket, machine } = await connected(t)
  socket.pause()
  machine.socket.write(Buffer.alloc(20 * 2 ** 20))
  await delay(200)
  const began = performance.now()
  await stage.service.stop()
  t.true(performance.now() - began < 5_000, `${performance.now() - began} ms`)
})

test('thorough: a client that does not answer pings is cut off, and one that does is not', async (t) => {
  const silent = await connected(t, { console: { pingEvery: 1_000 } })
  const answering = await consoleOf(t, silent.stage, silent.path)
  let pings = 0
  answering.socket.on('ping', () => pings++)
  // Its answers no longer leave.
  silent.socket.pong = () => undefined
  t.is(await silent.closed, 1006)
  await until('three pings', async () => pings >= 3, SOON)
  t.is(answering.socket.readyState, answering.socket.OPEN)
})
