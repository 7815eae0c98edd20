/** What failures of probes in a row mean, and when probes are made. */

import test from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import type { Tidying } from '../../harness.ts'
import { REFUSING } from '../../requests.ts'
import { monitoredLab } from './monitored.ts'

const CONFIRM = Buffer.from('0300000b06d00000123400', 'hex')

/** A monitored RDP server that can be switched off. */
const given = async (t: Tidying) => {
  let isUp = true
  const handle: Parameters<typeof startSut>[1] = (socket) => void (isUp ? socket.write(CONFIRM) : socket.end('closed'))
  const all = await monitoredLab(t, { handle, sut: { sut_type: 'rdp' } })
  await all.monitor()
  return {
    ...all,
    isUp: (is: boolean) => {
      isUp = is
    },
    statusAfterCheck: async (): Promise<string> => {
      await all.checkLater()
      return all.status()
    },
  }
}

test('three failures in a row are offline; a success between begins anew', async (t) => {
  const { statusAfterCheck, isUp } = await given(t)
  const statuses: string[] = []
  for (const is of [true, false, false, true, false, false, true, false, false, false, false, true, false]) {
    isUp(is)
    statuses.push(await statusAfterCheck())
  }
  t.deepEqual(statuses.slice(0, 9), new Array(9).fill('Online'))
  t.deepEqual(statuses.slice(9), ['Offline', 'Offline', 'Online', 'Online'])
})

test('a failed probe is repeated after 5 s until the third, whatever the interval', async (t) => {
  const { book, clock, machine, pass, status, isUp } = await given(t)
  isUp(false)
  const begun = clock.now()
  await pass(30_000, 'offline', async () => (await status()) === 'Offline')
  const seconds = (clock.now() - begun) / 1_000
  t.true(seconds >= 10, `${seconds} s`)
  t.is(machine.sockets.length, 3)
  t.is((await book('alice')).status, 201, 'by its id it can be reserved all the same')
})

test('what a probe finds at a former address is not recorded', async (t) => {
  const server = await startSut(t)
  const { monitor, check, update, status } = await monitoredLab(t, { sut: { sut_type: 'rdp', port: server.port } })
  await monitor()
  const checking = check()
  const { socket } = await server.accepted()
  await update({ port: REFUSING.port })
  socket.write(CONFIRM)
  t.is((await checking).json.reachable, true)
  t.is(await status(), 'Unknown')
})

test('thorough: probes follow the interval, also a changed one, and end when the SUT is retired', async (t) => {
  const { admin, id, becomes, clock, monitor, read, pass, machine } = await monitoredLab(t)
  const { sockets } = machine
  const passUntil = (what: string, holds: () => boolean) =>
    pass(60_000, what, async () => {
      await read()
      return holds()
    })
  await monitor({ interval: 3_600 })
  await becomes('Online')
  const begun = clock.now()
  await passUntil('a minute', () => clock.now() === begun + 60_000)
  t.true(sockets.length <= 2, `${sockets.length} probes, the first of them at once`)
  await monitor({ interval: 10 })
  const before = sockets.length
  await passUntil('five probes', () => sockets.length >= before + 5)
  await admin.post(`/api/sut/${id}/retire`, {})
  const after = sockets.length
  const retired = clock.now()
  await passUntil('a minute', () => clock.now() === retired + 60_000)
  t.is(sockets.length, after)
})
