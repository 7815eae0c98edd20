import test from 'ava'
import { basic } from '../../client.ts'
import { idOf } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { allEventsOf } from '../../store/log-rows.ts'
import { statusWith, within } from '../login.ts'
import { comeBack, finish, signOn, startWithLab } from './stage.ts'
import '../../documents/fit-answers.ts'

const HOUR = 3_600_000

test('the first sign-in adds a user with a name and a role, and later ones find it', async (t) => {
  const { service } = await startWithLab(t)
  const first = await signOn(service, 'anna')
  t.is(first.status, 200, first.text)
  t.deepEqual(Object.keys(first.json), ['_id', 'name', 'role', 'session', 'expires_at'])
  t.like(first.json, { name: 'Anna', role: 'tester' })
  t.is(first.headers['cache-control'], 'no-store')
  t.is(first.headers['set-cookie'], undefined)
  t.like(service.answered.at(-1), { route: '/api/login/oidc/finish', status: 200, user: { _id: first.json._id } })
  const again = await signOn(service, 'anna')
  t.is(again.json._id, first.json._id)
  const added = (await allEventsOf(service)).filter(({ metadata }) => metadata.actor === 'oidc')
  t.deepEqual(
    added.map(({ type, data, metadata }) => [type, data._id, metadata.role, data.role]),
    [['UserAdded', first.json._id, 'system', 'tester']],
  )
  const me = await within(service, String(again.json.session)).get('/api/user/me')
  t.like(me.json, { _id: first.json._id, name: 'Anna', role: 'tester', quota: null, scope: '' })
})

test('a session of a single sign-on is valid for twelve hours and cannot be extended', async (t) => {
  const { service } = await startWithLab(t)
  const begun = Date.now()
  const { json } = await signOn(service, 'anna')
  const session = String(json.session)
  const lasts = Date.parse(String(json.expires_at)) - begun
  t.true(lasts >= 12 * HOUR && lasts < 12 * HOUR + 60_000)
  const renewed = await within(service, session).post('/api/login/renew', {})
  t.is(renewed.json.expires_at, json.expires_at)
  t.is((await within(service, session).post('/api/logout', {})).status, 200)
  t.is(await statusWith(service, session), 401)
})

test('each sign-in brings its role: administrator before tester before auditor', async (t) => {
  const { lab, service } = await startWithLab(t)
  const first = await signOn(service, 'zoe')
  t.is(first.json.role, 'administrator')
  const session = String(first.json.session)
  lab.people.set('zoe', { groups: ['managers', 'qa'] })
  t.is((await signOn(service, 'zoe')).json.role, 'tester')
  t.is((await within(service, session).get('/api/user/me')).json.role, 'tester', 'in earlier sessions too')
  lab.people.set('zoe', { groups: 'managers' })
  t.is((await signOn(service, 'zoe')).json.role, 'auditor')
  const history = await service.as('admin').get(`/api/user/${first.json._id}/history`)
  const events = history.json.events as readonly { type: string; actorid?: string; changes: object[] }[]
  t.deepEqual(
    events.map(({ type }) => type),
    ['berth.UserAdded', 'berth.UserChanged', 'berth.UserChanged'],
  )
  t.true(history.text.includes('{"path":"/identity","changed":true}'))
  t.false(history.text.includes(lab.issuer), 'who it is there is not shown')
})

test('somebody without a role is refused, and keeps what there was', async (t) => {
  const { lab, service } = await startWithLab(t)
  lab.people.set('eve', { groups: ['guests'] })
  t.deepEqual(refusalOf(await signOn(service, 'eve')), [403, 'no_role'])
  t.is((await allEventsOf(service)).filter(({ metadata }) => metadata.actor === 'oidc').length, 0)
  const { json } = await signOn(service, 'anna')
  lab.people.set('anna', {})
  t.deepEqual(refusalOf(await signOn(service, 'anna')), [403, 'no_role'])
  t.is((await service.as('admin').get(`/api/user/${json._id}`)).json.role, 'tester')
})

test('thorough: the last administrator stays it, which the log says, until there is another one', async (t) => {
  const { lab, service } = await startWithLab(t)
  const { json } = await signOn(service, 'zoe')
  const session = within(service, String(json.session))
  t.is((await session.post(`/api/user/${idOf('admin')}/remove`, { reservations: 'keep' })).status, 200)
  lab.people.set('zoe', { groups: ['qa'] })
  t.like((await signOn(service, 'zoe')).json, { _id: json._id, role: 'administrator' })
  t.is(service.log.filter(({ facts }) => 'user' in facts && facts.user === json._id).length, 1)
  t.is((await session.post(`/api/user/${idOf('alice')}/update`, { role: 'administrator' })).status, 200)
  t.like((await signOn(service, 'zoe')).json, { _id: json._id, role: 'tester' })
})

test('thorough: names are made to fit, and never match a user who has one', async (t) => {
  const { lab, service } = await startWithLab(t)
  const nameOf = async (who: string, claims: object): Promise<unknown> => {
    lab.people.set(who, { groups: ['qa'], ...claims })
    return (await signOn(service, who)).json.name
  }
  t.is(await nameOf('1', { preferred_username: 'ADMIN', email: 'a@lab.example' }), 'ADMIN-2')
  t.is(await nameOf('2', { preferred_username: 'admin' }), 'admin-3')
  t.is(await nameOf('3', { email: 'b:c@lab.example' }), 'b-c@lab.example')
  t.is(await nameOf('4', {}), '4')
  t.is(await nameOf('5', { preferred_username: 'berth_5' }), 'user-berth_5')
  t.is((await service.as('admin').get('/api/user/me')).json._id, idOf('admin'))
})

test('thorough: a user who signs in with a provider has no password, until an administrator sets one', async (t) => {
  const { service } = await startWithLab(t)
  const { json } = await signOn(service, 'anna')
  for (const password of ['', 'undefined', 'null', 'any password'])
    t.is((await service.anyone.get('/api/user/me', { Authorization: basic('Anna', password) })).status, 401)
  const session = within(service, String(json.session))
  const change = await session.post('/api/user/me/password', { old_password: '', password: 'a new password' })
  t.deepEqual(refusalOf(change), [403, 'wrong_password'])
  const token = await session.post('/api/user/me/token', { name: 'ci' })
  const withToken = { Authorization: `Bearer ${token.json.token}` }
  t.is((await service.anyone.get('/api/user/me', withToken)).json._id, json._id)
  t.is((await service.as('admin').post(`/api/user/${json._id}/password`, { password: 'a new password' })).status, 200)
  const withPassword = { Authorization: basic('Anna', 'a new password') }
  t.is((await service.anyone.get('/api/user/me', withPassword)).json._id, json._id)
  t.is((await signOn(service, 'anna')).json._id, json._id)
})

test('thorough: a removed user is refused, restored let in, and erased a new one', async (t) => {
  const { service } = await startWithLab(t)
  const { json } = await signOn(service, 'anna')
  const path = `/api/user/${json._id}`
  const admin = service.as('admin')
  const end = await comeBack(service, 'anna')
  await admin.post(`${path}/remove`, { reservations: 'keep' })
  t.is(await statusWith(service, String(json.session)), 401)
  t.deepEqual(refusalOf(await finish(service, end)), [410, 'user_removed'])
  t.deepEqual(refusalOf(await signOn(service, 'anna')), [410, 'user_removed'])
  await admin.post(`${path}/restore`, {})
  t.is((await signOn(service, 'anna')).json._id, json._id)
  await admin.post(`${path}/remove`, { reservations: 'keep' })
  await admin.post(`${path}/erase`, {})
  const again = await signOn(service, 'anna')
  t.is(again.status, 200)
  t.not(again.json._id, json._id)
  t.is(again.json.name, 'Anna')
})

test('two first sign-ins of one person at once add one user', async (t) => {
  const { service } = await startWithLab(t)
  const ends = await Promise.all([1, 2, 3].map(() => comeBack(service, 'anna')))
  const answers = await Promise.all(ends.map((end) => finish(service, end)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  t.is(new Set(answers.map(({ json }) => json._id)).size, 1)
  t.is((await allEventsOf(service)).filter(({ metadata }) => metadata.actor === 'oidc').length, 1)
})
