/** Connections that end while their SUT is still being connected. Alone, because it counts the process's sockets. */

import test, { type ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { deafPort } from './deaf.ts'
import { areClosed, openSockets } from './descriptors.ts'
import { SOON, startGateway } from './harness.ts'
import { connectTo } from './peers.ts'
import { line } from './rfb/speakers.ts'

const AT_ONCE = 50

const connecting = async (t: ExecutionContext, protocol: 'tcp' | 'vnc', connectTimeoutMs = 60_000) => {
  const port = await deafPort(t)
  const opened = startGateway(t, {
    connectTimeoutMs,
    admit: () => ({ admitted: true, isBound: true, hasPassword: protocol === 'vnc' }),
  })
  const { listenPort, reservationId } = await opened.forward(port, { protocol })
  const before = openSockets(t)?.size
  const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => connectTo(t, listenPort)))
  for (const { socket } of clients) socket.write(line('3.8'))
  // A client, its server's side, and the SUT's side.
  const areReaching = async (): Promise<boolean> => (openSockets(t)?.size ?? 0) >= (before ?? 0) + 3 * AT_ONCE
  if (before !== undefined) await until('the SUT is being connected', areReaching, SOON)
  return { ...opened, reservationId, before, clients }
}

for (const protocol of ['tcp', 'vnc'] as const)
  test.serial(`a release cuts connections to a ${protocol} SUT that is still being connected`, async (t) => {
    const { gateway, reservationId, before, clients, reported } = await connecting(t, protocol)
    gateway.close(reservationId, 'released')
    for (const { ending } of clients) t.is(await ending, 'reset')
    await areClosed(t, before && before - 1)
    t.deepEqual([reported.connected, reported.failed, reported.errors], [[], [], []])
  })

test.serial('a client that leaves gives up a SUT that is still being connected', async (t) => {
  const { before, clients, reported } = await connecting(t, 'tcp')
  for (const { socket } of clients) socket.resetAndDestroy()
  await areClosed(t, before)
  t.deepEqual([reported.connected, reported.failed, reported.errors], [[], [], []])
})

test.serial('a client that leaves does not give up a VNC server, which may count broken handshakes', async (t) => {
  const { before, clients, see, reported } = await connecting(t, 'vnc', 5_000)
  for (const { socket } of clients) socket.resetAndDestroy()
  await see('the failure', ({ failed }) => failed.includes('timed_out'))
  await areClosed(t, before)
  t.deepEqual([reported.connected, reported.errors], [[], []])
})
