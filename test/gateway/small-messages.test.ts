/** Memory is bounded for single bytes, too: each costs hundreds of bytes while it waits. */

import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import test from 'ava'
import { PortStream } from '../../src/gateway/bridge/port-stream.ts'
import { relay } from '../../src/gateway/connections/relay.ts'

const MANY = 5_000

/** Writes single bytes until one is not taken for some turns of the event loop. Returns how many were taken. */
const fill = async (stream: Duplex): Promise<number> => {
  let taken = 0
  for (let sent = 0; sent < MANY; sent++) {
    stream.write(Buffer.of(sent), () => taken++)
    for (let turns = 0; taken <= sent && turns < 50; turns++) await turn()
    if (taken <= sent) return taken
  }
  return taken
}

test('a stream between threads whose reader is paused takes few single bytes, which arrive later', async (t) => {
  const { port1, port2 } = new MessageChannel()
  const [writer, reader] = [new PortStream<never>(port1), new PortStream<never>(port2)]
  t.teardown(() => void writer.destroy())
  reader.pause()
  const taken = await fill(writer)
  t.true(taken > 100 && taken < 1_000, `${taken} bytes`)
  const received: Buffer[] = []
  reader.on('data', (chunk: Buffer) => received.push(chunk)).resume()
  writer.end()
  await new Promise((resolve) => reader.once('end', resolve))
  const expected = Array.from({ length: taken + 1 }, (_, n) => n & 0xff)
  t.deepEqual([...Buffer.concat(received)], expected)
})

test('a side that takes nothing is given few single bytes, and all of them later', async (t) => {
  const given: (() => void)[] = []
  const side = (write: (done: () => void) => void): Duplex =>
    new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, done) => write(done),
      final: (done) => done(),
      highWaterMark: 65_536,
    })
  let isTaking = false
  let written = 0
  const sut = side((done) => {
    written++
    if (isTaking) done()
    else given.push(done)
  })
  const client = side((done) => done())
  const passed = relay(client, sut)
  for (let sent = 0; sent < MANY; sent++) {
    client.push(Buffer.of(1))
    if (sent % 100 === 0) await turn()
  }
  t.true(client.isPaused())
  t.true(sut.writableLength < 1_000, `${sut.writableLength} bytes`)
  isTaking = true
  for (const done of given) done()
  client.push(null)
  await new Promise((resolve) => sut.once('finish', resolve))
  t.deepEqual([written, passed().bytesToSut], [MANY, MANY])
})
