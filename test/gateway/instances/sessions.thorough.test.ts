import test, { type ExecutionContext } from 'ava'
import { startInstance } from '../../event-store/eventstoredb/service/instances.ts'
import { type Running, start, temporaryData } from '../../http/harness.ts'
import { startKillable } from '../../http/killable.ts'
import { until } from '../../http/until.ts'
import { settle } from '../../processes/recorded.ts'
import {
  aDoublingSut,
  becomes,
  connected,
  END,
  hangUp,
  keptBy,
  type Listed,
  putSut,
  reserveIt,
  type Service,
  SOON,
  sessionsOf,
  tickAlways,
} from '../sessions/stage.ts'
import { anEventStore, hostOf, settingOf } from './stage.ts'

/** Sessions of two instances over one EventStoreDB, one of which is killed. */

/** Milliseconds after the end of a reservation from which others close its sessions. */
const AFTER_END = 60_000
/** Milliseconds between looks at what others have left. */
const LOOK_INTERVAL = 15_000
const KEPT_AT = '2030-05-02T06:02:20.000Z'
const CRASHED_AT = '2030-05-02T06:02:25.000Z'

const later = (time: string, milliseconds: number): string => new Date(Date.parse(time) + milliseconds).toISOString()

/** A killable instance 1 and an instance 2, with a running reservation and a connection at each; and a third. */
const connectedAtBoth = async (t: ExecutionContext) => {
  const { server, port, environment, log } = await anEventStore(t)
  const data = await temporaryData(t)
  const setting = { ...settingOf(server, environment, 1), data }
  const mortal = await startKillable(t, setting)
  const staying = await startInstance(t, server, 2, settingOf(server, environment, 2))
  const third = await startInstance(t, server, 3, settingOf(server, environment, 3))
  tickAlways(t, [staying, third])
  const reservation = await reserveIt(mortal, await putSut(mortal, await aDoublingSut(t)))
  await connected({ service: mortal, port, host: hostOf(1) })
  const open = (count: number) => (listed: Listed) => listed.count === count
  await becomes(mortal, 'one session is open', open(1))
  const client = await connected({ service: staying, port, host: hostOf(2) })
  await becomes(staying, 'two sessions are open', open(2))
  const { sessions } = await becomes(mortal, 'two sessions are open', open(2))
  const [ofStaying, ofMortal] = sessions as readonly [Listed['sessions'][0], Listed['sessions'][0]]
  const counts = async (): Promise<Record<string, number>> => {
    const found: Record<string, number> = {}
    for (const {
      type,
      data: { _id },
    } of await log()) {
      if (type.startsWith('Session')) found[`${type} ${_id}`] = (found[`${type} ${_id}`] ?? 0) + 1
    }
    return found
  }
  /** Both sessions, opened and closed once. */
  const once = Object.fromEntries(
    sessions.flatMap(({ _id }) => [
      [`SessionOpened ${_id}`, 1],
      [`SessionClosed ${_id}`, 1],
    ]),
  )
  return { t, mortal, staying, third, setting, reservation, client, ofStaying, ofMortal, counts, once }
}
type Stage = Awaited<ReturnType<typeof connectedAtBoth>>

/** Moves the clocks of those that stay, and lets them look around. */
const pass = async ({ staying, third }: Stage, time: string): Promise<void> => {
  for (const { clock } of [staying, third]) clock.set(time)
  await settle([staying, third])
}

const restart = async ({ t, setting }: Stage, now: string): Promise<Running> => {
  const again = await start(t, { ...setting, now })
  await until('ready', async () => (await again.anyone.get('/health/ready')).status === 200, 60_000)
  return again
}

const find = ({ sessions }: Listed, { _id }: Record<string, unknown>): Record<string, unknown> | undefined =>
  sessions.find((session) => session._id === _id)

const isEnded = (session: Record<string, unknown>) => (listed: Listed) => find(listed, session)?.closed_at !== null

/** Lets the first instance keep what it knows of its session, as it does every 10 s, and kills it 5 s later. */
const crash = async ({ mortal }: Stage): Promise<void> => {
  await mortal.setClock(KEPT_AT)
  await until('the session is kept', async () => (await keptBy(mortal))?.closed_at === KEPT_AT, SOON)
  await mortal.setClock(CRASHED_AT)
  await mortal.kill()
}

test('connections at two instances are two sessions, and both instances list both', async (t) => {
  const { mortal, staying, ofStaying, ofMortal, reservation } = await connectedAtBoth(t)
  t.not(ofMortal.instance, ofStaying.instance)
  for (const service of [mortal, staying] satisfies readonly Service[]) {
    const { sessions } = await sessionsOf(service, `?reservation_id=${reservation}&open=true`)
    t.deepEqual(sessions, [ofStaying, ofMortal])
  }
})

test("another instance closes a lost instance's session once, 60 s after the reservation's end", async (t) => {
  const stage = await connectedAtBoth(t)
  const { staying, ofMortal, ofStaying, client, counts, once } = stage
  await crash(stage)
  await hangUp(staying, client)
  await pass(stage, END)
  await becomes(staying, 'its own session is closed', isEnded(ofStaying))
  await pass(stage, later(END, AFTER_END - 1))
  t.is(find(await sessionsOf(staying), ofMortal)?.closed_at, null)
  await pass(stage, later(END, AFTER_END + LOOK_INTERVAL))
  const listed = await becomes(staying, 'the other is closed', isEnded(ofMortal))
  const unknown = { connections: 1, bytes_to_sut: 0, bytes_from_sut: 0 }
  t.deepEqual(find(listed, ofMortal), { ...ofMortal, ...unknown, closed_at: ofMortal.opened_at, cause: 'lost' })
  t.is(find(listed, ofStaying)?.cause, 'client')
  // The instance that is back still has the session in its file.
  const again = await restart(stage, later(END, AFTER_END + LOOK_INTERVAL))
  await settle([again])
  t.deepEqual(await counts(), once)
  t.deepEqual((await sessionsOf(again)).sessions, listed.sessions)
})
