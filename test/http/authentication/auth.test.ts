import test from 'ava'
import { rounds } from '../../thorough.ts'
import { aUser } from '../../users/builders.ts'
import { basic, type Client } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { lab, said } from '../lab.ts'
import { startTwo } from '../races/two-services.ts'
import { aReservation, aSut, createSut, reserved } from '../requests.ts'
import { until } from '../until.ts'
import { sendBadCredentials } from './bad-credentials.ts'

test('without credentials everything but the requests that are open gets the same 401', async (t) => {
  const service = await lab(t)
  const paths = [
    ...['/api/login/x', '/api/login/', '/api/Login', '/api/login/renew', '/api/logout', '/api', '/api/sut/create'],
    ...['/api/none', `/api/sut/${service.sut}`, '/metrics'],
  ]
  const requests = paths.flatMap((path) =>
    ['GET', 'POST', 'OPTIONS', 'DELETE'].map((method) => [method, path] as const),
  )
  const besideOpenOnes = [['GET', '/api/login'] as const, ['POST', '/health/live'] as const]
  const seen = new Set<string>()
  for (const [method, path] of [...requests, ...besideOpenOnes]) {
    const answer = await service.anyone.request(method, path)
    t.is(said(answer), '401 unauthenticated', `${method} ${path}`)
    const { instance: _, ...rest } = answer.json
    seen.add(JSON.stringify(rest))
  }
  t.is(seen.size, 1)
})

test('a non-ASCII name and password are read as UTF-8', async (t) => {
  const user = await aUser('Jürgen 石', 'pässwörd: 密码', { role: 'auditor' })
  const service = await start(t, { firstUsers: [user] })
  const headers = { Authorization: basic('Jürgen 石', 'pässwörd: 密码') }
  t.is((await service.anyone.get('/api/user/me', headers)).json.name, 'Jürgen 石')
  const latin1 = `Basic ${Buffer.from('Jürgen:pässwörd', 'latin1').toString('base64')}`
  t.is((await service.anyone.get('/api/user/me', { Authorization: latin1 })).status, 401)
})

test('malformed Authorization headers of any kind are all refused', async (t) => {
  const service = await start(t)
  t.is((await service.as('admin').get('/api/user/me')).status, 200)
  for (let n = 0; n < rounds(1, 5); n++) {
    const { sent, faults } = await sendBadCredentials(service, 200)
    t.is(sent, 200)
    t.deepEqual(faults, [])
  }
  t.is((await service.as('admin').get('/api/user/me')).status, 200)
})

test('wrong name and wrong password get the same error, missing and malformed credentials their own', async (t) => {
  const service = await start(t)
  const wrong = 'The user name or the password is wrong.'
  const malformed = 'The Authorization header must be "Basic" followed by base64, or "Bearer" followed by a token.'
  const rows: readonly (readonly [detail: string, Authorization?: string])[] = [
    [wrong, basic('alice', 'wrong')],
    [wrong, basic('nobody', 'wrong')],
    ['Credentials are missing. Send a user name and password with Basic authentication, or a token with Bearer.'],
    [malformed, 'Digest CaNaRy'],
    ['The token is wrong, has expired or was revoked.', 'Bearer CaNaRy'],
    ...['Bearer', 'Bearer CaNaRy CaNaRy', 'Bearer,CaNaRy', 'Token CaNaRy'].map(
      (header) => [malformed, header] as const,
    ),
  ]
  for (const [detail, Authorization] of rows) {
    const answer = await service.anyone.get('/api/user/me', { ...(Authorization && { Authorization }) })
    t.deepEqual([said(answer), answer.json.detail], ['401 unauthenticated', detail])
  }
})

const PEOPLE = ['alice', 'bob', 'audrey']

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const TOMORROW = { start_time: inHours(24), end_time: inHours(25) }

const statusOf = async (client: Client, path = '/api/user/me', headers = {}): Promise<number> =>
  (await client.get(path, headers)).status

test('a removed user, a changed password, role and scope take effect at another instance within 2 seconds', async (t) => {
  const { services } = await startTwo(t)
  const [service, other] = services
  const admin = service.as('admin')
  const made = await reserved(service.as('alice'), aReservation(await createSut(admin), TOMORROW))
  for (const { as } of services) for (const name of PEOPLE) t.is(await statusOf(as(name)), 200)
  const change = async (name: string, what: string, body: object) =>
    t.is((await admin.post(`/api/user/${idOf(name)}/${what}`, body)).status, 200)
  await change('alice', 'remove', { reservations: 'keep' })
  await change('bob', 'password', { password: 'battery staple' })
  await change('audrey', 'update', { role: 'administrator' })
  await change('bob', 'update', { scope: 'team=qa1' })
  // At the instance that was asked, they count for the next request.
  t.is(await statusOf(service.as('alice')), 401)
  t.is(await statusOf(service.as('bob')), 401)
  t.is((await service.as('audrey').post('/api/sut/create', aSut())).status, 201)
  await until('a removed user is refused', async () => (await statusOf(other.as('alice'))) === 401, 2000)
  await until('an old password is refused', async () => (await statusOf(other.as('bob'))) === 401, 2000)
  const creates = async () => (await other.as('audrey').post('/api/sut/create', aSut())).status === 201
  await until('a new role takes effect', creates, 2000)
  const scoped = { Authorization: basic('bob', 'battery staple') }
  const hasScope = async () => (await other.anyone.get('/api/user/me', scoped)).json.scope === 'team=qa1'
  await until('a scope takes effect', hasScope, 2000)
  for (const { anyone, as } of services) {
    t.is(await statusOf(anyone, '/api/user/me', { Authorization: basic('bob', 'battery staple') }), 200)
    // Reservations of a removed user remain if the request says so.
    t.is((await as('admin').get(String(made.headers.location))).text, made.text)
  }
})
