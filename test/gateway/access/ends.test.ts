/**
 * A removal, a role that may not hold, and a new password end what the user has open, and nothing of anybody else's.
 */

import { join } from 'node:path'
import test from 'ava'
import { basic, passwordOf } from '../../http/client.ts'
import { temporaryData } from '../../http/harness.ts'
import { changedStore, failingAppends } from '../../http/store/stores.ts'
import '../../http/documents/fit-answers.ts'
import { until } from '../../http/until.ts'
import { openAt, SOON } from '../console/stage.ts'
import { connectTo } from '../peers.ts'
import {
  asAdmin,
  codeOfRefusal,
  connectThrough,
  given,
  hasEnded,
  inTime,
  NEW,
  type Opened,
  oneService,
  type Place,
  type Stage,
  stillWorks,
  twoInstances,
} from './stage.ts'

const RENEWED = { Authorization: basic('carol', NEW) }

const setOwnPassword = async ({ changing }: Place, { name }: Opened): Promise<void> => {
  const body = { old_password: passwordOf(name), password: NEW }
  const { status, text } = await changing.as(name).post('/api/user/me/password', body)
  if (status !== 200) throw new Error(text)
}

const REMOVAL = ['remove', { reservations: 'keep' }] as const

type End = (place: Place, user: Opened) => Promise<void>

const ENDS: Readonly<Record<string, End>> = {
  'a removal': (place, user) => asAdmin(place, user, ...REMOVAL),
  'the role of an auditor': (place, user) => asAdmin(place, user, 'update', { role: 'auditor' }),
  'a new password from an administrator': (place, user) => asAdmin(place, user, 'password', { password: NEW }),
  'a new password of their own': setOwnPassword,
  'a removal and restoration': async (place, user) => {
    await asAdmin(place, user, ...REMOVAL)
    await asAdmin(place, user, 'restore', {})
  },
  'the role of an auditor and the former one': async (place, user) => {
    await asAdmin(place, user, 'update', { role: 'auditor' })
    await asAdmin(place, user, 'update', { role: 'administrator' })
  },
}

/** The causes that the sessions of a reservation have ended with, once they have. */
const causesOf = async ({ place: { serving } }: Stage, { path }: Opened): Promise<readonly unknown[]> => {
  let causes: readonly unknown[] = []
  const areClosed = async (): Promise<boolean> => {
    const { json } = await serving.as('admin').get(`/api/session?reservation_id=${path.split('/').at(-1)}`)
    const sessions = json.sessions as readonly { readonly closed_at: unknown; readonly cause: unknown }[]
    causes = sessions.map(({ cause }) => cause)
    return sessions.length > 0 && sessions.every(({ closed_at }) => closed_at !== null)
  }
  await until('the sessions are closed', areClosed, SOON)
  return causes
}

/** What `npm test` runs. */
const FIRST = ['a removal on this instance']

for (const [where, begin] of Object.entries({ 'on this instance': oneService, 'on another one': twoInstances })) {
  for (const [title, end] of Object.entries(ENDS)) {
    const only = FIRST.includes(`${title} ${where}`) ? '' : 'thorough: '
    test.serial(
      `${only}${title} ends the user's stream, console, connection and tickets within 2 s ${where}`,
      async (t) => {
        const stage = await given(t, await begin(t))
        const { place, carol, dave } = stage
        await end(place, carol)
        await hasEnded(t, carol)
        t.is(codeOfRefusal(await openAt(t, { service: place.serving }, carol.ticketUrl)), 'ticket_invalid')
        await stillWorks(t, stage, dave)
        t.is(codeOfRefusal(await openAt(t, { service: place.serving }, dave.ticketUrl)), 'opened')
        for (const { clock } of new Set([place.changing, place.serving])) clock.set('2030-05-02T06:03:30.000Z')
        t.deepEqual(await causesOf(stage, carol), ['barred'])
      },
    )
  }
}

test.serial(
  'thorough: another name, the role of a tester and a scope leave console, connection and tickets open',
  async (t) => {
    const stage = await given(t, await oneService(t))
    const { place, carol } = stage
    const { connection, console } = carol
    for (const change of [{ name: 'caroline' }, { role: 'tester' }, { scope: 'team=qa1' }]) {
      await asAdmin(place, carol, 'update', change)
      connection.socket.write('tcp')
      t.is(String(await connection.take(3)), 'tcp')
      console.socket.send(Buffer.from('console'))
      t.is(String(await console.take(7)), 'console')
    }
    t.is(codeOfRefusal(await openAt(t, { service: place.serving }, carol.ticketUrl)), 'opened')
  },
)

test.serial('thorough: after a new password a reservation is bound to nobody until it is bound again', async (t) => {
  const stage = await given(t, await oneService(t))
  const { place, carol, dave } = stage
  const { serving, host } = place
  const bindings = async () =>
    ((await serving.as('admin').get('/api/events?limit=1000')).json.events as readonly Record<string, unknown>[])
      .filter(({ type }) => type === 'berth.ReservationUnbound')
      .map(({ data, actor, client }) => [(data as { _id: string })._id, actor, client])
  serving.clock.set('2030-05-02T06:03:00.000Z')
  await asAdmin(place, carol, 'password', { password: NEW })
  t.deepEqual(await bindings(), [[carol.path.split('/').at(-1), 'berth', undefined]])
  const shown = await serving.anyone.get(carol.path, RENEWED)
  t.is(shown.json.updated_at, '2030-05-02T06:03:00.000Z')
  t.like((await serving.anyone.get(`${carol.path}/connection`, RENEWED)).json, { bound_here: false, open: true })
  const refused = await connectTo(t, carol.listenPort, host)
  t.is(await inTime('the refusal', refused.ending), 'reset')
  t.is(refused.received().length, 0)
  t.is((await serving.anyone.request('POST', `${carol.path}/update`, RENEWED)).status, 200)
  await connectThrough(t, place, carol.listenPort)
  await stillWorks(t, stage, dave)
})

test.serial('thorough: a connection is cut with its binding, even if the password is then not recorded', async (t) => {
  const data = await temporaryData(t)
  let isFailing = false
  const failing = failingAppends((stream) => isFailing && stream === 'users', 1)
  const place = await oneService(t, { data, openStore: changedStore(join(data, 'events.db'), failing) })
  const stage = await given(t, place)
  isFailing = true
  await t.throwsAsync(asAdmin(place, stage.carol, 'password', { password: NEW }), { message: /unavailable/ })
  t.is(await inTime('the end of the connection', stage.carol.connection.ending), 'reset')
  const refused = await connectTo(t, stage.carol.listenPort, place.host)
  t.is(await inTime('the refusal', refused.ending), 'reset')
  t.is(refused.received().length, 0)
  stage.carol.console.socket.send(Buffer.from('console'))
  t.is(String(await stage.carol.console.take(7)), 'console')
  await stillWorks(t, stage, stage.dave)
})
