import test from 'ava'
import { peer } from '../../../gateway/peers.ts'
import { PASSWORD, type SutScript, speakAsSut } from '../../../gateway/rfb/speakers.ts'
import type { Tidying } from '../../harness.ts'
import { MINUTE, monitoredLab } from './monitored.ts'

/** A monitored VNC server, for which a minute can pass. */
const given = async (t: Tidying, script: SutScript) => {
  const all = await monitoredLab(t, {
    handle: (socket) => void speakAsSut(peer(socket), script).catch(() => undefined),
    sut: { sut_type: 'vnc' },
  })
  const { clock, monitor, pass } = all
  await monitor({ interval: 10 })
  const passMinute = (): Promise<void> => {
    const later = clock.now() + MINUTE
    return pass(MINUTE, 'a minute', async () => clock.now() === later)
  }
  return { ...all, passMinute }
}

test('a VNC server whose password Berth does not have is online, and is looked at again when it gets one', async (t) => {
  const script = { version: '3.8', types: [2] }
  const { id, becomes, description, check, changes, machine, passMinute, pass, update } = await given(t, script)
  await becomes('Online')
  t.is(await description(), 'SUT is online; Berth has no password to look further')
  t.like((await check()).json, { reachable: true, cause: 'no_password' })
  t.is(machine.sockets.length, 2)
  await passMinute()
  t.is(machine.sockets.length, 2, 'not every ten seconds')
  await update({ password: PASSWORD })
  await pass(MINUTE, 'a look', async () => (await description()) === 'SUT is online')
  t.is(machine.sockets.length, 3)
  t.deepEqual(await changes(), [
    { type: 'SutWentOnline', data: { _id: id, cause: 'no_password' } },
    { type: 'SutWentOnline', data: { _id: id } },
  ])
})

test('a server that refuses the password is probed ever less often, until the SUT changes', async (t) => {
  const { becomes, description, machine, passMinute, update } = await given(t, { version: '3.8', types: [2] })
  await update({ password: 'wrong' })
  await becomes('Offline')
  t.is(await description(), 'SUT is offline: it refused the password')
  const before = machine.sockets.length
  await passMinute()
  // After 10 and 20 s, and then after 40 s.
  t.true(machine.sockets.length - before <= 3, `${machine.sockets.length - before} probes in a minute`)
  await update({ password: PASSWORD })
  await becomes('Online')
})
