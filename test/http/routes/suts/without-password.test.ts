import test from 'ava'
import { peer, startSut } from '../../../gateway/peers.ts'
import { PASSWORD, type SutScript, speakAsSut } from '../../../gateway/rfb/speakers.ts'
import { start } from '../../harness.ts'
import { createSut, NOW } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'
import '../../documents/fit-answers.ts'
import { becomes, check, MINUTE, monitor, passing, read } from './monitored.ts'

const VNC = { address: '127.0.0.1', sut_type: 'vnc' }
const LOOKED = 'SUT is online; Berth has no password to look further'
const description = (answer: Awaited<ReturnType<typeof read>>): string =>
  (answer.json.monitoring as { status_description: string }).status_description

/** A monitored VNC server, which a minute is about to pass for. */
const given = async (t: Parameters<typeof start>[0], script: SutScript) => {
  const service = await start(t, { now: NOW })
  const sut = await startSut(t, (socket) => void speakAsSut(peer(socket), script).catch(() => undefined))
  const id = await createSut(service.as('admin'), { ...VNC, port: sut.port })
  await monitor(service, id, { enabled: true, interval: 10 })
  const pass = async (): Promise<void> => {
    const later = service.clock.now() + MINUTE
    await passing(service, MINUTE, 'a minute', async () => service.clock.now() === later)
  }
  return { service, sut, id, pass }
}

test('a VNC server whose password Berth does not have is online, and is looked at again when it gets one', async (t) => {
  const { service, sut, id, pass } = await given(t, { version: '3.8', types: [2] })
  await becomes(service, id, 'Online')
  t.is(description(await read(service, id)), LOOKED)
  t.like((await check(service, id)).json, { reachable: true, cause: 'no_password' })
  t.is(sut.sockets.length, 2)
  await pass()
  t.is(sut.sockets.length, 2, 'not every ten seconds')
  await service.as('admin').post(`/api/sut/${id}/update`, { password: PASSWORD })
  await passing(service, MINUTE, 'a look', async () => description(await read(service, id)) === 'SUT is online')
  t.is(sut.sockets.length, 3)
  const changes = (await logOf(service)).filter(({ type }) => type.startsWith('SutWent'))
  t.deepEqual(changes, [
    { type: 'SutWentOnline', data: { _id: id, cause: 'no_password' } },
    { type: 'SutWentOnline', data: { _id: id } },
  ])
})

test('a server that refuses the password is probed ever less often, until the SUT changes', async (t) => {
  const { service, sut, id, pass } = await given(t, { version: '3.8', types: [2] })
  await service.as('admin').post(`/api/sut/${id}/update`, { password: 'wrong' })
  await becomes(service, id, 'Offline')
  t.is(description(await read(service, id)), 'SUT is offline: it refused the password')
  const before = sut.sockets.length
  await pass()
  // After 10 and 20 s, and then after 40 s.
  t.true(sut.sockets.length - before <= 3, `${sut.sockets.length - before} probes in a minute`)
  await service.as('admin').post(`/api/sut/${id}/update`, { password: PASSWORD })
  await becomes(service, id, 'Online')
})
