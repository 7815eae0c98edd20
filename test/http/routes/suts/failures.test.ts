import test from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import { type Running, start, type Tidying } from '../../harness.ts'
import { aReservation, createSut, NOW, REFUSING, reserve } from '../../requests.ts'
import '../../documents/fit-answers.ts'
import { becomes, check, LOCAL, monitor, passing, read, statusOf } from './monitored.ts'

/** What failures of probes in a row mean, and when probes are made. */

const DAY = 86_400
const CONFIRM = Buffer.from('0300000b06d00000123400', 'hex')

/** An RDP server that can be switched off, and the SUT. */
const given = async (t: Tidying) => {
  const service = await start(t, { now: NOW })
  let isUp = true
  const server = await startSut(t, (socket) => void (isUp ? socket.write(CONFIRM) : socket.end('closed')))
  const id = await createSut(service.as('admin'), { ...LOCAL, sut_type: 'rdp', port: server.port })
  await monitor(service, id, { enabled: true, interval: DAY })
  return {
    ...{ service, server, id },
    isUp: (is: boolean) => {
      isUp = is
    },
  }
}

/** Checks it a second later than the last time, and returns what is known then. */
const statusAfterCheck = async (service: Running, id: string): Promise<string> => {
  service.clock.set(new Date(service.clock.now() + 1_000).toISOString())
  await check(service, id)
  return statusOf(await read(service, id))
}

test('three failures in a row are offline; a success between begins anew', async (t) => {
  const { service, id, isUp } = await given(t)
  const statuses: string[] = []
  for (const is of [true, false, false, true, false, false, true, false, false, false, false, true, false]) {
    isUp(is)
    statuses.push(await statusAfterCheck(service, id))
  }
  t.deepEqual(statuses.slice(0, 9), new Array(9).fill('Online'))
  t.deepEqual(statuses.slice(9), ['Offline', 'Offline', 'Online', 'Online'])
})

test('a failed probe is repeated after 5 s until the third, whatever the interval', async (t) => {
  const { service, server, id, isUp } = await given(t)
  isUp(false)
  const begun = service.clock.now()
  await passing(service, 30_000, 'offline', async () => statusOf(await read(service, id)) === 'Offline')
  const seconds = (service.clock.now() - begun) / 1_000
  t.true(seconds >= 10, `${seconds} s`)
  t.is(server.sockets.length, 3)
  t.is((await reserve(service.as('alice'), aReservation(id))).status, 201, 'by its id it can be reserved all the same')
})

test('failures at a former address, port or type do not count', async (t) => {
  const { service, id, isUp } = await given(t)
  isUp(false)
  for (let n = 0; n < 2; n++) t.is(await statusAfterCheck(service, id), 'Unknown')
  await service.as('admin').post(`/api/sut/${id}/update`, { port: REFUSING.port })
  for (const status of ['Unknown', 'Unknown', 'Offline']) t.is(await statusAfterCheck(service, id), status)
})

test('what a probe finds at a former address is not recorded', async (t) => {
  const service = await start(t, { now: NOW })
  const server = await startSut(t)
  const id = await createSut(service.as('admin'), { ...LOCAL, sut_type: 'rdp', port: server.port })
  await monitor(service, id, { enabled: true, interval: DAY })
  const checking = check(service, id)
  const { socket } = await server.accepted()
  await service.as('admin').post(`/api/sut/${id}/update`, { port: REFUSING.port })
  socket.write(CONFIRM)
  t.is((await checking).json.reachable, true)
  t.is(statusOf(await read(service, id)), 'Unknown')
})

test('thorough: probes follow the interval, also a changed one, and end when the SUT is retired', async (t) => {
  const service = await start(t, { now: NOW })
  const { port, sockets } = await startSut(t, (socket) => socket.resume())
  const id = await createSut(service.as('admin'), { ...LOCAL, port })
  const pass = (milliseconds: number, what: string, holds: () => boolean) =>
    passing(service, milliseconds, what, async () => {
      await read(service, id)
      return holds()
    })
  await monitor(service, id, { enabled: true, interval: 3_600 })
  await becomes(service, id, 'Online')
  const begun = service.clock.now()
  await pass(60_000, 'a minute', () => service.clock.now() === begun + 60_000)
  t.true(sockets.length <= 2, `${sockets.length} probes, the first of them at once`)
  await monitor(service, id, { enabled: true, interval: 10 })
  const before = sockets.length
  await pass(60_000, 'five probes', () => sockets.length >= before + 5)
  await service.as('admin').post(`/api/sut/${id}/retire`, {})
  const after = sockets.length
  const retired = service.clock.now()
  await pass(60_000, 'a minute', () => service.clock.now() === retired + 60_000)
  t.is(sockets.length, after)
})
