import test from 'ava'
import { start } from '../../http/harness.ts'
import { type Killable, startKillable } from '../../http/killable.ts'
import { until } from '../../http/until.ts'
import { becomes, connected, given, isClosed, keptBy, NOW, type Stage, sessionsOf } from './stage.ts'

/** What a service that was killed knows of its sessions when it is back. */

const BACK = '2030-05-02T06:20:00.000Z'
/** Bytes of open connections are counted every 10 s, and kept every 10 s. */
const COUNTED = 40_000

const stageOf = (t: Parameters<typeof given>[0]): Promise<Stage<Killable>> =>
  given(t, (setting) => startKillable(t, setting))

const again = ({ t, service, environment }: Stage<Killable>) => start(t, { now: BACK, data: service.data, environment })

test('after a kill a session is closed as lost, with the time and bytes last seen', async (t) => {
  const stage = await stageOf(t)
  const { service } = stage
  await connected(stage, 'abc')
  const second = await connected(stage, 'defgh')
  await becomes(service, 'the session is open', ({ count }) => count === 1)
  // The clock passes as fast as the machine's, by which bytes are counted.
  const begun = performance.now()
  const isCounted = async (): Promise<boolean> => {
    await service.setClock(new Date(Date.parse(NOW) + performance.now() - begun).toISOString())
    return (await keptBy(service))?.bytes_to_sut === 8
  }
  await until('the bytes are counted', isCounted, COUNTED)
  const kept = await keptBy(service)
  // Nobody sees these any more.
  second.write('unseen')
  await service.kill()
  const { sessions } = await becomes(await again(stage), 'the session is closed', isClosed)
  t.deepEqual(sessions, [{ ...kept, user_name: 'alice', cause: 'lost' }])
  t.like(sessions[0], { connections: 2, bytes_to_sut: 8, bytes_from_sut: 16 })
  t.true(String(sessions[0]?.closed_at) > NOW)
  t.true(String(sessions[0]?.closed_at) < BACK)
})

test('after a kill a session that had just opened is closed as lost at its beginning', async (t) => {
  const stage = await stageOf(t)
  await connected(stage)
  await becomes(stage.service, 'the session is open', ({ count }) => count === 1)
  await stage.service.kill()
  const { sessions } = await becomes(await again(stage), 'the session is closed', isClosed)
  const [session] = sessions
  t.like(session, { cause: 'lost', connections: 1, bytes_to_sut: 0, bytes_from_sut: 0 })
  t.is(session?.closed_at, session?.opened_at)
})

test('after a kill the reservation is reachable at once, in another session', async (t) => {
  const stage = await stageOf(t)
  await connected(stage)
  await becomes(stage.service, 'the session is open', ({ count }) => count === 1)
  await stage.service.kill()
  const service = await again(stage)
  await connected({ service, port: stage.port })
  await becomes(service, 'a second session is open', ({ sessions }) => sessions[0]?.closed_at === null)
  const { sessions } = await sessionsOf(service)
  t.deepEqual(
    sessions.map(({ cause }) => cause),
    [null, 'lost'],
  )
  t.is(sessions[0]?.instance, sessions[1]?.instance)
})
