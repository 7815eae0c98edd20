/** Shows what administrators do with users, and what becomes of these. */

import test, { type ExecutionContext } from 'ava'
import type { Role } from '../../../src/domain/events/user.ts'
import { basic, passwordOf } from '../client.ts'
import { idOf } from '../harness.ts'
import { asks, lab, said } from '../lab.ts'
import { createSut, NOW } from '../requests.ts'
import { eventsOf } from '../store/log-rows.ts'

const PASSWORD = 'a new password'
const [ALICE, BOB] = ['alice', 'bob'].map((name) => `/api/user/${idOf(name)}`)
const KEEP = { reservations: 'keep' }

const given = async (t: ExecutionContext) => {
  const service = await lab(t)
  const create = (name: string, role: Role = 'tester') =>
    service.ask('admin', 'POST /api/user/create', { name, role, password: PASSWORD })
  /** Who a name and a password belong to, or the code of the refusal. */
  const whoIs = async (name: string, password: string): Promise<unknown> => {
    const { json } = await service.anyone.get('/api/user/me', { Authorization: basic(name, password) })
    return json._id ?? json.code
  }
  return { ...service, create, whoIs }
}

test('a user that was created can sign in at once, with the name in any case', async (t) => {
  const { create, whoIs } = await given(t)
  const { status, json, headers } = await create('Carol')
  t.is(status, 201)
  t.is(headers.location, `/api/user/${json._id}`)
  const { _id, ...others } = json
  t.deepEqual(others, { name: 'Carol', role: 'tester', quota: null, scope: '', created_at: NOW, updated_at: NOW })
  t.is(await whoIs('CAROL', PASSWORD), _id)
  t.is(await whoIs('carol', 'another password'), 'unauthenticated')
})

test('without a password one is made and shown once, not to a repetition', async (t) => {
  const { ask, whoIs } = await given(t)
  const create = () =>
    ask('admin', 'POST /api/user/create', { name: 'carol', role: 'auditor' }, { 'Idempotency-Key': 'carol' })
  const [first, repeated] = [await create(), await create()]
  const { password, ...shown } = first.json
  t.regex(String(password), /^[0-9a-z]{26}$/)
  t.is(await whoIs('carol', String(password)), shown._id)
  t.deepEqual([repeated.status, repeated.json], [201, shown])
  t.is((await ask('admin', 'GET /api/user')).json.count, 5)
})

test('a name is taken in any case and spelling, until its user is removed', async (t) => {
  const { ask, create } = await given(t)
  const { _id } = (await create('straße')).json
  for (const alike of ['STRASSE', 'ｓｔｒａｓｓｅ']) t.is(said(await create(alike)), '409 user_name_taken')
  await asks(t, { ask }, [
    ['admin', `POST ${BOB}/update`, '409 user_name_taken', { name: 'Strasse' }],
    ['admin', `POST /api/user/${_id}/remove`, '200', KEEP],
    ['admin', `POST ${BOB}/update`, '200', { name: 'Strasse' }],
    ['admin', `POST /api/user/${_id}/restore`, '409 user_name_taken', {}],
    ['admin', `POST ${BOB}/update`, '200', { name: 'bob' }],
    ['admin', `POST /api/user/${_id}/restore`, '200', {}],
  ])
})

const RESERVED = 'berth schedule gateway monitor oidc command-line - me create import . ..'.split(' ')

test('an id of the service itself is refused, and so is one that another user has or had', async (t) => {
  const { ask } = await given(t)
  const add = (_id: string) => ask('admin', 'POST /api/user/create', { _id, name: `named ${_id}`, role: 'tester' })
  for (const id of RESERVED) t.is(said(await add(id)), '422 invalid #/_id', id)
  t.is(said(await add(idOf('alice'))), '409 user_id_taken')
  t.is((await add('carol@lab')).json._id, 'carol@lab')
})

test('a role changes what a user may do from the next request on', async (t) => {
  const { as, ask } = await given(t)
  t.is((await ask('alice', 'POST /api/sut/create', {})).status, 403)
  t.is((await ask('admin', `POST ${ALICE}/update`, { role: 'administrator' })).json.role, 'administrator')
  t.truthy(await createSut(as('alice')))
})

test('each representation of a user has an ETag of its own', async (t) => {
  const { ask } = await given(t)
  const [whole, part] = [await ask('admin', `GET ${ALICE}`), await ask('bob', `GET ${ALICE}`)]
  t.not(part.text, whole.text)
  const again = (name: string, { headers }: typeof part) =>
    ask(name, `GET ${ALICE}`, undefined, { 'If-None-Match': String(headers.etag) })
  t.deepEqual([(await again('admin', whole)).status, (await again('bob', part)).status], [304, 304])
  t.deepEqual([(await again('bob', whole)).text, (await again('admin', part)).text], [part.text, whole.text])
})

test('a new password counts at once, and the old one no longer', async (t) => {
  const { ask, whoIs } = await given(t)
  t.is(said(await ask('admin', `POST ${ALICE}/password`, { password: 'short' })), '422 invalid #/password')
  t.is((await ask('admin', `POST ${ALICE}/password`, { password: PASSWORD })).status, 200)
  t.is(await whoIs('alice', PASSWORD), idOf('alice'))
  t.is((await ask('alice', 'GET /api/user/me')).status, 401)
})

test('users change their own password with the old one, and wrong ones are throttled like logins', async (t) => {
  const { ask, whoIs } = await given(t)
  const change = (who: string, old_password: string) =>
    ask(who, 'POST /api/user/me/password', { old_password, password: PASSWORD })
  t.is(said(await change('audrey', 'not the old one')), '403 wrong_password')
  t.is((await change('audrey', passwordOf('audrey'))).status, 200)
  t.is(await whoIs('audrey', PASSWORD), idOf('audrey'))
  for (let n = 0; n < 10; n++) t.is(said(await change('bob', 'not the old one')), '403 wrong_password')
  t.is(said(await change('bob', 'not the old one')), '429 too_many_attempts')
})

test('a removed user cannot sign in, keeps its reservations if asked to, and is restored as it was', async (t) => {
  const { ask, book, whoIs } = await given(t)
  const made = await book('alice')
  t.is(said(await ask('admin', `POST ${ALICE}/restore`, {})), '409 user_not_removed')
  const removed = await ask('admin', `POST ${ALICE}/remove`, KEEP)
  t.deepEqual(removed.json, { _id: idOf('alice'), cancelled: 0, released: 0 })
  t.is(await whoIs('alice', passwordOf('alice')), 'unauthenticated')
  t.is((await ask('admin', 'GET /api/user')).json.count, 3)
  t.is((await ask('admin', 'GET /api/user?removed=true')).json.count, 4)
  t.is((await ask('admin', `GET ${ALICE}`)).json.removed_at, NOW)
  t.is(said(await book('admin', '07:00-08:00', { user_id: idOf('alice') })), '404 user_not_found #/user_id')
  await asks(t, { ask }, [
    ['admin', `GET ${made.headers.location}`, '200'],
    ['admin', `POST ${ALICE}/remove`, '200', KEEP],
    ['admin', `POST ${ALICE}/update`, '410 user_removed', { name: 'anna' }],
    ['admin', `POST ${ALICE}/password`, '410 user_removed', { password: PASSWORD }],
  ])
  const restored = await ask('admin', `POST ${ALICE}/restore`, {})
  t.deepEqual([restored.status, 'removed_at' in restored.json], [200, false])
  t.is(await whoIs('alice', passwordOf('alice')), idOf('alice'))
})

test('a removal can end the reservations: running ones are released, later ones cancelled', async (t) => {
  const service = await given(t)
  const { as, ask, book } = service
  const other = await createSut(as('admin'))
  for (const sut_id of [service.sut, other]) t.is((await book('alice', '05:45-07:00', { sut_id })).status, 201)
  const [future, others] = [await book('alice', '07:00-08:00'), await book('bob', '08:00-09:00')]
  const remove = () =>
    ask('admin', `POST ${ALICE}/remove`, { reservations: 'cancel' }, { 'Idempotency-Key': 'leaving' })
  const { json, text } = await remove()
  t.deepEqual(json, { _id: idOf('alice'), cancelled: 1, released: 2 })
  t.is((await remove()).text, text)
  t.is((await ask('admin', `GET ${future.headers.location}`)).status, 410)
  t.is((await ask('admin', `GET ${others.headers.location}`)).status, 200)
  const log = (await eventsOf(service)).filter(({ type }) => /Removed|Released|Cancelled/.test(type))
  t.deepEqual(log.map(({ type, metadata }) => `${type} by ${metadata.actor}`).toSorted(), [
    'ReservationCancelled by berth',
    'ReservationReleased by berth',
    'ReservationReleased by berth',
    `UserRemoved by ${idOf('admin')}`,
  ])
})

test('testers see of others only id and name; administrators, auditors and oneself see all', async (t) => {
  const { ask } = await given(t)
  const all = ['_id', 'name', 'role', 'quota', 'scope', 'created_at', 'updated_at']
  for (const [asker, path, fields] of [
    ['alice', BOB, ['_id', 'name']],
    ['alice', ALICE, all],
    ['audrey', BOB, all],
    ['admin', BOB, all],
  ] as const)
    t.deepEqual(Object.keys((await ask(asker, `GET ${path}`)).json), fields)
  t.is(said(await ask('alice', 'GET /api/user/nobody')), '404 user_not_found')
})
