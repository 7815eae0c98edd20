import test, { type ExecutionContext } from 'ava'
import type { Role } from '../../../src/domain/events/user.ts'
import { type Answer, basic } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import { eventsOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

/** Shows what administrators do with users, and what becomes of these. */

const given = (t: ExecutionContext): Promise<Running> => start(t, { now: NOW })

const PASSWORD = 'a new password'

const create = (service: Running, name: string, role: Role = 'tester'): Promise<Answer> =>
  service.as('admin').post('/api/user/create', { name, role, password: PASSWORD })

/** Who a name and a password belong to, or the code of the refusal. */
const whoIs = async ({ anyone }: Running, name: string, password: string): Promise<unknown> => {
  const { json } = await anyone.get('/api/user/me', { Authorization: basic(name, password) })
  return json._id ?? json.code
}

const codeOf = ({ status, json }: Answer) => [status, json.code]

test('a user that was created can sign in at once, with the name in any case', async (t) => {
  const service = await given(t)
  const { status, json, headers } = await create(service, 'Carol')
  t.is(status, 201)
  t.is(headers.location, `/api/user/${json._id}`)
  const { _id, created_at, updated_at, ...others } = json
  t.deepEqual(others, { name: 'Carol', role: 'tester', quota: null, scope: '' })
  t.deepEqual([created_at, updated_at], [NOW, NOW])
  t.is(await whoIs(service, 'CAROL', PASSWORD), _id)
  t.is(await whoIs(service, 'carol', 'another password'), 'unauthenticated')
})

test('without a password one is made and shown once, not to a repetition', async (t) => {
  const service = await given(t)
  const body = { name: 'carol', role: 'auditor' }
  const headers = { 'Idempotency-Key': 'carol' }
  const [first, repeated] = [
    await service.as('admin').post('/api/user/create', body, headers),
    await service.as('admin').post('/api/user/create', body, headers),
  ]
  const { password, ...shown } = first.json
  t.regex(String(password), /^[0-9a-z]{26}$/)
  t.is(await whoIs(service, 'carol', String(password)), shown._id)
  t.deepEqual([repeated.status, repeated.json], [201, shown])
  t.is((await service.as('admin').get('/api/user')).json.count, 5)
})

test('a name is taken in any case and spelling, until its user is removed', async (t) => {
  const service = await given(t)
  const { json } = await create(service, 'straße')
  for (const alike of ['STRASSE', 'ｓｔｒａｓｓｅ'])
    t.deepEqual(codeOf(await create(service, alike)), [409, 'user_name_taken'])
  const rename = (to: string) => service.as('admin').post(`/api/user/${idOf('bob')}/update`, { name: to })
  t.deepEqual(codeOf(await rename('Strasse')), [409, 'user_name_taken'])
  await service.as('admin').post(`/api/user/${json._id}/remove`, { reservations: 'keep' })
  t.is((await rename('Strasse')).json.name, 'Strasse')
  const restore = `/api/user/${json._id}/restore`
  t.deepEqual(codeOf(await service.as('admin').post(restore, {})), [409, 'user_name_taken'])
  await rename('bob')
  t.is((await service.as('admin').post(restore, {})).json.name, 'straße')
})

test('an id of the service itself is refused, and so is one that another user has or had', async (t) => {
  const service = await given(t)
  const add = (_id: string) =>
    service.as('admin').post('/api/user/create', { _id, name: `named ${_id}`, role: 'tester' })
  for (const id of [
    'berth',
    'schedule',
    'gateway',
    'monitor',
    'oidc',
    'command-line',
    '-',
    'me',
    'create',
    'import',
    '.',
    '..',
  ]) {
    t.deepEqual(codeOf(await add(id)), [422, 'invalid'], id)
  }
  t.deepEqual(codeOf(await add(idOf('alice'))), [409, 'user_id_taken'])
  t.is((await add('carol@lab')).json._id, 'carol@lab')
})

test('a role changes what a user may do from the next request on', async (t) => {
  const service = await given(t)
  t.is((await service.as('alice').post('/api/sut/create', {})).status, 403)
  const { json } = await service.as('admin').post(`/api/user/${idOf('alice')}/update`, { role: 'administrator' })
  t.is(json.role, 'administrator')
  t.truthy(await createSut(service.as('alice')))
})

test('an update is refused when the user has changed since it was read', async (t) => {
  const service = await given(t)
  const path = `/api/user/${idOf('alice')}`
  const { headers } = await service.as('admin').get(path)
  const update = (role: string) =>
    service.as('admin').post(`${path}/update`, { role }, { 'If-Match': String(headers.etag) })
  const first = await update('auditor')
  t.is(first.status, 200)
  t.not(first.headers.etag, headers.etag)
  t.deepEqual(codeOf(await update('tester')), [412, 'stale'])
  t.is((await service.as('admin').get(path)).headers.etag, first.headers.etag)
})

test('each representation of a user has an ETag of its own', async (t) => {
  const service = await given(t)
  const path = `/api/user/${idOf('alice')}`
  const whole = await service.as('admin').get(path)
  const part = await service.as('bob').get(path)
  t.not(part.text, whole.text)
  const again = (name: string, { headers }: typeof part) =>
    service.as(name).get(path, { 'If-None-Match': String(headers.etag) })
  t.deepEqual([(await again('admin', whole)).status, (await again('bob', part)).status], [304, 304])
  t.deepEqual([(await again('bob', whole)).text, (await again('admin', part)).text], [part.text, whole.text])
})

test('the last administrator is neither removed nor given another role', async (t) => {
  const service = await given(t)
  const path = `/api/user/${idOf('admin')}`
  const refused = [409, 'last_administrator']
  t.deepEqual(codeOf(await service.as('admin').post(`${path}/update`, { role: 'tester' })), refused)
  t.deepEqual(codeOf(await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })), refused)
  await create(service, 'root', 'administrator')
  t.is((await service.as('admin').post(`${path}/update`, { role: 'tester' })).status, 200)
})

test('a new password counts at once, and the old one no longer', async (t) => {
  const service = await given(t)
  const set = `/api/user/${idOf('alice')}/password`
  t.is((await service.as('admin').post(set, { password: PASSWORD })).status, 200)
  t.is(await whoIs(service, 'alice', PASSWORD), idOf('alice'))
  t.is((await service.as('alice').get('/api/user/me')).status, 401)
  t.deepEqual(codeOf(await service.as('admin').post(set, { password: 'short' })), [422, 'invalid'])
})

test('users change their own password with the old one, and a wrong one counts as a failed login', async (t) => {
  const service = await given(t)
  const change = (old_password: string, password = PASSWORD) =>
    service.as('audrey').post('/api/user/me/password', { old_password, password })
  t.deepEqual(codeOf(await change('not the old one')), [403, 'wrong_password'])
  t.is((await change('correct horse audrey')).status, 200)
  t.is(await whoIs(service, 'audrey', PASSWORD), idOf('audrey'))
})

test('wrong old passwords are throttled like logins', async (t) => {
  const service = await given(t)
  const change = () =>
    service.as('bob').post('/api/user/me/password', { old_password: 'not the old one', password: PASSWORD })
  const codes: unknown[] = []
  for (let n = 0; n < 11; n++) codes.push((await change()).json.code)
  t.deepEqual(codes, [...Array(10).fill('wrong_password'), 'too_many_attempts'])
})

test('a removed user cannot sign in, keeps its reservations if asked to, and is listed with removed=true', async (t) => {
  const service = await given(t)
  const sut = await createSut(service.as('admin'))
  const { json } = await reserved(service.as('alice'), aReservation(sut))
  const path = `/api/user/${idOf('alice')}`
  const remove = () => service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  t.deepEqual((await remove()).json, { _id: idOf('alice'), cancelled: 0, released: 0 })
  t.is(await whoIs(service, 'alice', 'correct horse alice'), 'unauthenticated')
  t.is((await service.as('admin').get(`/api/sut_reservation/${json._id}`)).status, 200)
  t.is((await service.as('admin').get('/api/user')).json.count, 3)
  const { json: all } = await service.as('admin').get('/api/user?removed=true')
  t.is(all.count, 4)
  t.is((await service.as('admin').get(path)).json.removed_at, NOW)
  t.is((await remove()).status, 200)
  for (const [what, body] of [
    ['update', { name: 'anna' }],
    ['password', { password: PASSWORD }],
  ] as const) {
    t.deepEqual(codeOf(await service.as('admin').post(`${path}/${what}`, body)), [410, 'user_removed'])
  }
})

test('a removal can end the reservations: running ones are released, later ones cancelled', async (t) => {
  const service = await given(t)
  const suts = [await createSut(service.as('admin')), await createSut(service.as('admin'))]
  const made: string[] = []
  for (const sut of suts) {
    const window = { start_time: '2030-05-02T05:45:00+00:00', end_time: '2030-05-02T07:00:00+00:00' }
    made.push(String((await reserved(service.as('alice'), aReservation(sut, window))).json._id))
  }
  const later = { start_time: '2030-05-03T06:00:00+00:00', end_time: '2030-05-03T07:00:00+00:00' }
  const future = String((await reserved(service.as('alice'), aReservation(suts[0] ?? '', later))).json._id)
  const others = await reserved(service.as('bob'), aReservation(suts[1] ?? '', { ...later, user_id: idOf('bob') }))
  const headers = { 'Idempotency-Key': 'leaving' }
  const remove = () =>
    service.as('admin').post(`/api/user/${idOf('alice')}/remove`, { reservations: 'cancel' }, headers)
  const { text } = await remove()
  t.deepEqual(JSON.parse(text), { _id: idOf('alice'), cancelled: 1, released: 2 })
  t.is((await remove()).text, text)
  t.is((await service.as('admin').get(`/api/sut_reservation/${future}`)).status, 410)
  t.is((await service.as('admin').get(`/api/sut_reservation/${others.json._id}`)).status, 200)
  const log = (await eventsOf(service)).filter(({ type }) => /Removed|Released|Cancelled/.test(type))
  t.deepEqual(log.map(({ type, metadata }) => `${type} by ${metadata.actor}`).toSorted(), [
    'ReservationCancelled by berth',
    'ReservationReleased by berth',
    'ReservationReleased by berth',
    `UserRemoved by ${idOf('admin')}`,
  ])
})

test('nobody reserves for a removed user', async (t) => {
  const service = await given(t)
  const sut = await createSut(service.as('admin'))
  await service.as('admin').post(`/api/user/${idOf('alice')}/remove`, { reservations: 'keep' })
  const answer = await service.as('admin').post('/api/sut_reservation/create', aReservation(sut))
  t.deepEqual(codeOf(answer), [404, 'user_not_found'])
})

test('a restored user signs in with the password of before', async (t) => {
  const service = await given(t)
  const path = `/api/user/${idOf('alice')}`
  t.deepEqual(codeOf(await service.as('admin').post(`${path}/restore`, {})), [409, 'user_not_removed'])
  await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  const { status, json } = await service.as('admin').post(`${path}/restore`, {})
  t.is(status, 200)
  t.false('removed_at' in json)
  t.is((await service.as('alice').get('/api/user/me')).json._id, idOf('alice'))
})

test('testers see of others only id and name; administrators, auditors and oneself see all', async (t) => {
  const service = await given(t)
  const fieldsOf = async (asker: string, of: string) =>
    Object.keys((await service.as(asker).get(`/api/user/${idOf(of)}`)).json)
  t.deepEqual(await fieldsOf('alice', 'bob'), ['_id', 'name'])
  const all = ['_id', 'name', 'role', 'quota', 'scope', 'created_at', 'updated_at']
  t.deepEqual(await fieldsOf('alice', 'alice'), all)
  t.deepEqual(await fieldsOf('audrey', 'bob'), all)
  t.deepEqual(await fieldsOf('admin', 'bob'), all)
  const { json } = await service.as('alice').get('/api/user')
  t.deepEqual(
    (json.users as object[]).map((user) => Object.keys(user).length),
    [2, 2, 7, 2],
  )
  t.deepEqual(codeOf(await service.as('alice').get('/api/user/nobody')), [404, 'user_not_found'])
})

test('the history of a user says who changed what and when, without names', async (t) => {
  const service = await given(t)
  const path = `/api/user/${idOf('alice')}`
  await service.as('admin').post(`${path}/update`, { role: 'auditor', name: 'alicia' })
  await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  const { json, text } = await service.as('audrey').get(`${path}/history`)
  const events = json.events as { type: string; actor: string; changes: readonly object[] }[]
  t.deepEqual(
    events.map(({ type, actor }) => `${type} by ${actor}`),
    ['berth.UserAdded by berth', `berth.UserChanged by ${idOf('admin')}`, `berth.UserRemoved by ${idOf('admin')}`],
  )
  const noLimits = { hours_per_week: null, reservations_max: null, priority_max: null }
  t.deepEqual(events[1]?.changes.slice(0, 3), [
    { path: '/role', from: 'tester', to: 'auditor' },
    { path: '/quota', from: noLimits, to: null },
    { path: '/name', changed: true },
  ])
  t.false(/alici|"alice"/.test(text))
  t.is((await service.as('bob').get(`${path}/history`)).status, 403)
  t.is((await service.as('bob').get('/api/user/me/history')).status, 200)
})
