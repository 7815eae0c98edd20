import test, { type ExecutionContext } from 'ava'
import { type Answer, basic, type Headers } from '../client.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { NOW } from '../requests.ts'
import { allEventsOf } from '../store/log-rows.ts'

const KEY: Headers = { 'Idempotency-Key': 'k' }

interface Added {
  readonly _id: string
  readonly name: string
  readonly password?: string
}

const given = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const importing = (users: unknown, more: object = {}, headers: Headers = {}): Promise<Answer> =>
    service.as('admin').post('/api/user/import', { users, ...more }, headers)
  const whoIs = async (name: string, password = ''): Promise<unknown> => {
    const { json } = await service.anyone.get('/api/user/me', { Authorization: basic(name, password) })
    return json._id ?? json.code
  }
  const added = async () =>
    (await allEventsOf(service)).filter(({ type, metadata: { role } }) => type === 'UserAdded' && role !== 'system')
  return { service, importing, whoIs, added }
}

const usersIn = ({ json }: Answer) => json.users as readonly Added[]
const CAROL = { name: 'carol', role: 'tester', scope: 'team=qa1', quota: { hours_per_week: 40 } }
const DAVE = { _id: 'dave@lab', name: 'Dave', role: 'auditor', password: 'correct horse dave' }

test('an import adds all users in one append and shows the passwords that the service made', async (t) => {
  const { service, importing, whoIs, added } = await given(t)
  const answer = await importing([CAROL, DAVE])
  t.deepEqual([answer.status, answer.json.count], [200, 2])
  const [carol, dave] = usersIn(answer)
  t.like(carol, { name: 'carol', role: 'tester', scope: 'team=qa1', created_at: NOW })
  t.like(dave, { _id: 'dave@lab', name: 'Dave', role: 'auditor', password: undefined })
  t.is(await whoIs('carol', carol?.password), carol?._id)
  t.is(await whoIs('dave', DAVE.password), 'dave@lab')
  const { password: _, ...shown } = carol ?? {}
  t.deepEqual((await service.as('admin').get(`/api/user/${carol?._id}`)).json, shown)
  const events = await added()
  t.is(new Set(events.map(({ metadata }) => metadata.request_id)).size, 1)
  t.false(/carol|Dave|argon2|correct horse/.test(JSON.stringify(events)))
})

test('a retry shows the users again but not their passwords, also after a restart', async (t) => {
  const { service, importing, whoIs, added } = await given(t)
  const first = await importing([CAROL, DAVE], {}, KEY)
  const [carol] = usersIn(first)
  const withoutPasswords = usersIn(first).map(({ password: _, ...user }) => user)
  await service.as('admin').post('/api/user/dave@lab/update', { role: 'tester' })
  const again = await importing([CAROL, DAVE], {}, KEY)
  t.deepEqual(again.json, { count: 2, users: withoutPasswords })
  t.is(await whoIs('carol', carol?.password), carol?._id)
  await service.stop()
  const restarted = await start(t, { now: NOW, data: service.data })
  const later = await restarted.as('admin').post('/api/user/import', { users: [CAROL, DAVE] }, KEY)
  t.is(later.text, again.text)
  t.is((await added()).length, 2)
})

test('a key stands for one request: an import of other users or a creation is refused', async (t) => {
  const { service, importing, added } = await given(t)
  await importing([CAROL], {}, KEY)
  const reused = [422, 'idempotency_key_reused', 'Idempotency-Key']
  t.deepEqual(refusalOf(await importing([DAVE], {}, KEY)), reused)
  t.deepEqual(refusalOf(await service.as('admin').post('/api/user/create', DAVE, KEY)), reused)
  t.is((await added()).length, 1)
})

test('every problem is named with its row, also of names and ids that others have, and nobody is added', async (t) => {
  const { importing, added } = await given(t)
  const malformed = await importing([CAROL, { name: 'a:b', role: 'root' }, { ...DAVE, password: 'short', quota: 1 }])
  t.deepEqual(refusalOf(malformed), [
    ...[422, 'invalid', '#/users/1/name', '#/users/1/role', '#/users/2/password', '#/users/2/quota'],
  ])
  t.deepEqual(faultsOf(malformed), [])
  const assigned = await importing([CAROL, { ...DAVE, created_at: NOW }])
  t.deepEqual(refusalOf(assigned), [422, 'field_read_only', '#/users/1/created_at'])
  const taken = await importing([CAROL, { name: 'CAROL', role: 'tester' }, { name: 'Alice', role: 'auditor' }])
  t.deepEqual(refusalOf(taken), [409, 'user_name_taken', '#/users/1/name', '#/users/2/name'])
  const mixed = await importing([{ ...DAVE, _id: 'me' }, { ...CAROL, role: 'auditor' }, DAVE])
  t.deepEqual(refusalOf(mixed), [
    ...[422, 'invalid', '#/users/0/_id', '#/users/1/quota', '#/users/1/scope', '#/users/2/name'],
  ])
  for (const users of [[], Array.from({ length: 101 }, (_, n) => ({ ...CAROL, name: `n ${n}` })), {}])
    t.deepEqual(refusalOf(await importing(users)), [422, 'invalid', '#/users'])
  t.is((await added()).length, 0)
})

test('a dry run says how many there would be, names what is wrong, and adds nobody', async (t) => {
  const { importing, added } = await given(t)
  t.deepEqual((await importing([CAROL, DAVE], { dry_run: true }, KEY)).json, { count: 2 })
  t.deepEqual(refusalOf(await importing([{ ...CAROL, name: 'bob' }], { dry_run: true })), [
    ...[409, 'user_name_taken', '#/users/0/name'],
  ])
  t.is((await added()).length, 0)
})

test('hashes of passwords are not taken over HTTP', async (t) => {
  const { service, importing, added } = await given(t)
  const hashed = { _id: '6b013ba4f804b461b4439169', name: 'eve', role: 'tester' }
  const refused = await service.as('admin').post('/api/user/import-hashed', { users: [hashed] })
  t.is(refused.status, 405)
  t.deepEqual(refusalOf(await importing([{ ...hashed, hash: '$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA' }])), [
    ...[422, 'field_unknown', '#/users/0/hash'],
  ])
  t.is((await added()).length, 0)
})
