import test from 'ava'
import { start } from '../../http/harness.ts'
import { type Killable, startKillable } from '../../http/killable.ts'
import { becomes, connected, given, type Stage, sessionsOf } from './stage.ts'

/** What a service that was killed knows of its sessions when it is back. */

const BACK = '2030-05-02T06:20:00.000Z'

const stageOf = (t: Parameters<typeof given>[0]): Promise<Stage<Killable>> =>
  given(t, (setting) => startKillable(t, setting))

const again = ({ t, service, environment }: Stage<Killable>) => start(t, { now: BACK, data: service.data, environment })

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
