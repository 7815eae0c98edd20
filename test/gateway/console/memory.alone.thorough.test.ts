import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test from 'ava'
import { until } from '../../http/until.ts'
import { connected, SOON } from './stage.ts'

const MIB = 2 ** 20

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes outside of the heap. */
const memory = (): number => {
  collect()
  const { external, arrayBuffers } = process.memoryUsage()
  return external + arrayBuffers
}

test.serial('a client that does not read stalls the SUT, in little memory, and gets everything later', async (t) => {
  const { socket, machine, received } = await connected(t)
  socket.pause()
  const chunk = randomBytes(MIB)
  const before = memory()
  let sent = 0
  const write = (): boolean => {
    sent += chunk.length
    return machine.socket.write(chunk)
  }
  while (write() || (await Promise.race([once(machine.socket, 'drain').then(() => true), delay(1_000)]))) {
    if (sent > 200 * MIB) break
  }
  t.true(sent < 50 * MIB, `${sent} bytes were taken`)
  const grown = memory() - before
  t.true(grown < 5 * MIB, `${grown} bytes more`)
  socket.resume()
  await until('all bytes', async () => received().length === sent, SOON)
  t.true(received().subarray(-MIB).equals(chunk))
})
