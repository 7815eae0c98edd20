import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import { passwordOf } from '../client.ts'
import { idOf, type Running, start, temporaryData } from '../harness.ts'
import { said } from '../lab.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW } from '../requests.ts'
import { allEventsOf, logOf } from '../store/log-rows.ts'
import { bearer, begin, login, sessionOf, statusWith, within } from './login.ts'
import '../documents/fit-answers.ts'

/** The id that the access log has of a session. */
const idOfSession = async (service: Running, session: string): Promise<string | undefined> => {
  await statusWith(service, session)
  return service.answered.at(-1)?.user?.session?._id
}

test('a login answers with who one is and a session, which takes the place of the password', async (t) => {
  const service = await start(t, { now: NOW })
  const answer = await login(service, 'ALICE', passwordOf('alice'))
  t.deepEqual(Object.keys(answer.json), ['_id', 'name', 'role', 'session', 'expires_at'])
  t.like(answer.json, { _id: idOf('alice'), name: 'alice', role: 'tester', expires_at: '2030-05-02T17:58:11.400Z' })
  t.is(answer.headers['cache-control'], 'no-store')
  t.is(answer.headers['set-cookie'], undefined)
  const alice = within(service, sessionOf(answer))
  t.like((await alice.get('/api/user/me')).json, { _id: idOf('alice') })
  const sut = await createSut(service.as('admin'))
  t.is((await alice.post('/api/sut_reservation/create', aReservation(sut))).status, 201)
  t.is((await allEventsOf(service)).at(-1)?.metadata.actor, idOf('alice'))
})

test('a login is recorded nowhere but in the access log', async (t) => {
  const service = await start(t, { now: NOW })
  const before = (await logOf(service)).length
  await begin(service, 'alice')
  t.is((await logOf(service)).length, before)
  t.like(service.answered.at(-1), { route: '/api/login', status: 200, user: { _id: idOf('alice') } })
  await login(service, 'alice', 'wrong')
  t.like(service.answered.at(-1), { route: '/api/login', status: 401, user: undefined })
})

test('a session expires after twelve hours, and is renewed under its id for seven days', async (t) => {
  const service = await start(t, { now: NOW })
  const first = await begin(service, 'alice')
  const id = await idOfSession(service, first)
  t.truthy(id)
  let session = first
  // Every time in the last millisecond of twelve hours, until seven days after the login.
  for (let renewals = 1; renewals <= 14; renewals++) {
    service.clock.set(new Date(Date.parse(NOW) + renewals * (43_200_000 - 1)).toISOString())
    const renewed = await within(service, session).post('/api/login/renew', {})
    t.is(renewed.status, 200, renewed.text)
    t.true(String(renewed.json.expires_at) <= '2030-05-09T05:58:11.400Z')
    session = sessionOf(renewed)
    t.is(await idOfSession(service, session), id)
    if (renewals === 2) t.is(await statusWith(service, first), 401, 'the first text has expired')
  }
  t.is(await statusWith(service, session), 200)
  service.clock.set('2030-05-09T05:58:11.400Z')
  const over = await within(service, session).get('/api/user/me')
  t.deepEqual(refusalOf(over), [401, 'unauthenticated'])
  t.is(over.json.detail, 'The session has ended. Sign in again.')
})

test('a logout ends its session and no other, and is recorded with the id of the session', async (t) => {
  const service = await start(t, { now: NOW })
  const [session, other] = [await begin(service, 'alice'), await begin(service, 'alice')]
  const renewed = sessionOf(await within(service, session).post('/api/login/renew', {}))
  const id = await idOfSession(service, session)
  const out = await within(service, session).post(
    '/api/logout',
    {},
    { 'Idempotency-Key': 'out', 'Berth-Reason': 'gone' },
  )
  t.deepEqual([out.status, out.json], [200, { everywhere: false }])
  for (const text of [session, renewed]) t.is(await statusWith(service, text), 401)
  t.is(await statusWith(service, other), 200)
  const { type, data, metadata } = (await allEventsOf(service)).at(-1) ?? {}
  t.deepEqual([type, metadata?.reason, metadata?.key], ['TokenRevoked', 'gone', undefined])
  const until = { user_id: idOf('alice'), session_until: '2030-05-09T05:58:11.400Z' }
  t.like(data, until)
  t.is(data?._id, id)
  t.is((await within(service, session).post('/api/logout', {})).status, 401)
  t.is((await service.anyone.request('POST', '/api/logout', bearer(other))).status, 200, 'without a body')
  t.is(await statusWith(service, other), 401)
  t.is(said(await service.as('alice').post('/api/logout', {})), '403 forbidden', 'a password has no session to end')
})

test('a logout everywhere ends all sessions, also by password, and leaves password and tokens good', async (t) => {
  const service = await start(t, { now: NOW })
  const { token } = (await service.as('alice').post('/api/user/me/token', { name: 'kept' })).json
  const sessions = [await begin(service, 'alice'), await begin(service, 'alice')]
  const [bobs, out] = [
    await begin(service, 'bob'),
    await within(service, sessions[0] ?? '').post('/api/logout', { everywhere: true }),
  ]
  t.deepEqual([out.status, out.json], [200, { everywhere: true }])
  for (const session of sessions) t.is(await statusWith(service, session), 401)
  for (const good of [bobs, String(token)]) t.is(await statusWith(service, good), 200)
  const again = await begin(service, 'alice')
  t.is(await statusWith(service, again), 200)
  t.is((await service.as('alice').post('/api/logout', { everywhere: true })).status, 200)
  t.is(await statusWith(service, again), 401)
})

test('an administrator ends all sessions of a user, and leaves password and tokens good', async (t) => {
  const service = await start(t, { now: NOW })
  const { token } = (await service.as('alice').post('/api/user/me/token', { name: 'kept' })).json
  const sessions = [await begin(service, 'alice'), await begin(service, 'alice')]
  const others = [await begin(service, 'bob'), await begin(service, 'admin')]
  const admin = within(service, others[1] ?? '')
  const path = `/api/user/${idOf('alice')}`
  const key = { 'Idempotency-Key': 'out', 'Berth-Reason': 'stolen%20laptop' }
  const out = await admin.post(`${path}/logout`, {}, key)
  t.deepEqual([out.status, out.json], [200, (await admin.get(path)).json])
  for (const session of sessions) t.is(await statusWith(service, session), 401)
  for (const good of [...others, String(token)]) t.is(await statusWith(service, good), 200)
  const event = (await allEventsOf(service)).at(-1)
  t.like(event, { type: 'UserChanged', data: { _id: idOf('alice'), credentials: { changed: ['epoch'] } } })
  t.like(event?.metadata, { actor: idOf('admin'), reason: 'stolen laptop' })
  const again = await begin(service, 'alice')
  t.is((await admin.post(`${path}/logout`, {}, key)).text, out.text)
  t.is(await statusWith(service, again), 200, 'a repeated request ends nothing more')
})

test('sessions of somebody who has been removed, or who is not there, are not ended', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const path = `/api/user/${idOf('alice')}`
  await admin.post(`${path}/remove`, { reservations: 'keep' })
  t.deepEqual(refusalOf(await admin.post(`${path}/logout`, {})), [410, 'user_removed'])
  for (const id of ['5'.repeat(24), 'me'])
    t.deepEqual(refusalOf(await admin.post(`/api/user/${id}/logout`, {})), [404, 'user_not_found'])
})

test('a session changes its own password with the old one, which ends all sessions', async (t) => {
  const service = await start(t, { now: NOW })
  const [session, other] = [await begin(service, 'alice'), await begin(service, 'alice')]
  const change = (old_password: string) =>
    within(service, session).post('/api/user/me/password', { old_password, password: 'battery staple' })
  t.deepEqual(refusalOf(await change('wrong')), [403, 'wrong_password'])
  t.is(await statusWith(service, session), 200)
  t.is((await change(passwordOf('alice'))).status, 200)
  for (const text of [session, other]) t.is(await statusWith(service, text), 401)
  t.is((await login(service, 'alice')).status, 401)
  t.is(await statusWith(service, sessionOf(await login(service, 'alice', 'battery staple'))), 200)
})

test('a removal ends sessions for good, also after a restoration', async (t) => {
  const service = await start(t, { now: NOW })
  const session = await begin(service, 'alice')
  const path = `/api/user/${idOf('alice')}`
  await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  t.is(await statusWith(service, session), 401)
  t.is((await login(service, 'alice')).status, 401)
  await service.as('admin').post(`${path}/restore`, {})
  t.is(await statusWith(service, session), 401)
  t.is(await statusWith(service, await begin(service, 'alice')), 200)
})

test('a restart keeps sessions and what has ended', async (t) => {
  const data = await temporaryData(t)
  const first = await start(t, { now: NOW, data })
  const [kept, ended] = [await begin(first, 'alice'), await begin(first, 'alice')]
  await within(first, ended).post('/api/logout', {})
  await first.stop()
  const again = await start(t, { now: NOW, data })
  t.deepEqual([await statusWith(again, kept), await statusWith(again, ended)], [200, 401])
})

test('a user whose epoch is lost gets another one with the next login, once', async (t) => {
  // Only the embedded store has its vault in this file.
  if (SHARED_STORE !== undefined) return void t.pass()
  const data = await temporaryData(t)
  const first = await start(t, { now: NOW, data })
  const session = await begin(first, 'alice')
  await first.stop()
  const log = new DatabaseSync(join(data, 'events.db'))
  const { changes } = log.prepare("DELETE FROM vault WHERE sut_id = ? AND field = 'epoch'").run(`user:${idOf('alice')}`)
  log.close()
  t.is(changes, 1)
  const again = await start(t, { now: NOW, data })
  t.is(await statusWith(again, session), 401)
  const recorded = (await logOf(again)).length
  const [one, other] = [await begin(again, 'alice'), await begin(again, 'alice')]
  for (const text of [one, other]) t.is(await statusWith(again, text), 200)
  const events = (await logOf(again)).slice(recorded)
  t.like(events, [{ type: 'UserChanged', data: { _id: idOf('alice'), credentials: { changed: ['epoch'] } } }])
  t.is(await statusWith(again, session), 401)
})
