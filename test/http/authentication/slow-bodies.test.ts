import test, { type ExecutionContext } from 'ava'
import { basic, passwordOf } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { bearer, begin, within } from '../logins/login.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW } from '../requests.ts'
import { openRaw, type RawAnswer } from '../server/raw-http.ts'
import '../documents/fit-answers.ts'

/** Sends the head of a request, and its body with the returned function. Between them it has been authenticated. */
const beginRequest = async (
  t: ExecutionContext,
  { port }: Running,
  path: string,
  { Authorization = '' }: Readonly<Record<string, string>>,
  body: object,
): Promise<() => Promise<RawAnswer>> => {
  const text = JSON.stringify(body)
  const connection = await openRaw(port)
  t.teardown(connection.close)
  const fields = `Host: berth\r\nAuthorization: ${Authorization}\r\nContent-Type: application/json`
  connection.send(
    `POST ${path} HTTP/1.1\r\n${fields}\r\nContent-Length: ${text.length}\r\nExpect: 100-continue\r\n\r\n`,
  )
  // Written when nothing but the body can refuse the request.
  t.is((await connection.answer())?.status, 100)
  return async () => {
    connection.send(text)
    const answer = await connection.answer()
    if (answer === undefined) throw new Error('closed without an answer')
    return answer
  }
}

const password = (name: string) => ({ Authorization: basic(name) })

test('a session that ends before the body of its request arrives is neither renewed nor does it issue tokens', async (t) => {
  const service = await start(t)
  const session = await begin(service, 'alice')
  const finish = [
    await beginRequest(t, service, '/api/login/renew', bearer(session), {}),
    await beginRequest(t, service, '/api/user/me/token', bearer(session), { name: 'late' }),
  ]
  t.is((await within(service, session).post('/api/logout', { everywhere: true })).status, 200)
  for (const end of finish) t.deepEqual(refusalOf(await end()), [401, 'unauthenticated'])
})

test('a password that changes before the body arrives issues no token', async (t) => {
  const service = await start(t)
  const end = await beginRequest(t, service, '/api/user/me/token', password('alice'), { name: 'late' })
  const change = { old_password: passwordOf('alice'), password: 'battery staple', revoke_tokens: true }
  t.is((await service.as('alice').post('/api/user/me/password', change)).status, 200)
  t.deepEqual(refusalOf(await end()), [401, 'unauthenticated'])
})

test('a role that changes before the body arrives is that of the request', async (t) => {
  const service = await start(t)
  const path = `/api/user/${idOf('alice')}`
  const changeTo = async (role: string) =>
    t.is((await service.as('admin').post(`${path}/update`, { role })).status, 200)
  await changeTo('administrator')
  const end = await beginRequest(t, service, `/api/user/${idOf('bob')}/update`, password('alice'), { name: 'rob' })
  await changeTo('tester')
  t.deepEqual(refusalOf(await end()), [403, 'forbidden'])
})

test('a scope that changes before the body arrives is that of the request', async (t) => {
  const service = await start(t, { now: NOW })
  const body = aReservation(await createSut(service.as('admin')))
  const end = await beginRequest(t, service, '/api/sut_reservation/create', password('alice'), body)
  t.is((await service.as('admin').post(`/api/user/${idOf('alice')}/update`, { scope: 'team=qa' })).status, 200)
  t.deepEqual(refusalOf(await end()), [404, 'sut_not_found', '#/sut_id'])
})

test('a request whose body arrives late is answered while its user may do the same as before', async (t) => {
  const service = await start(t)
  const session = await begin(service, 'alice')
  const finish = [
    await beginRequest(t, service, '/api/login/renew', bearer(session), {}),
    await beginRequest(t, service, '/api/user/me/token', password('alice'), { name: 'late' }),
  ]
  t.deepEqual(await Promise.all(finish.map(async (end) => (await end()).status)), [200, 201])
})
