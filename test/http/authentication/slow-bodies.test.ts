import test, { type ExecutionContext } from 'ava'
import { basic, type Headers, passwordOf } from '../client.ts'
import { idOf, type Running } from '../harness.ts'
import { lab, said } from '../lab.ts'
import { bearer, begin, within } from '../logins/login.ts'
import { aReservation } from '../requests.ts'
import { openRaw, type RawAnswer } from '../server/raw-http.ts'

/** Sends the head of a request, and its body with the returned function. Between them it has been authenticated. */
const beginRequest = async (
  t: ExecutionContext,
  { port }: Running,
  path: string,
  { Authorization = '' }: Headers,
  body: object,
): Promise<() => Promise<string>> => {
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
    return said((await connection.answer()) as RawAnswer)
  }
}

const password = (name: string) => ({ Authorization: basic(name) })

test('a session that ends before the body of its request arrives is neither renewed nor does it issue tokens', async (t) => {
  const service = await lab(t)
  const session = await begin(service, 'alice')
  const renew = await beginRequest(t, service, '/api/login/renew', bearer(session), {})
  const issue = await beginRequest(t, service, '/api/user/me/token', bearer(session), { name: 'late' })
  t.is((await within(service, session).post('/api/logout', { everywhere: true })).status, 200)
  for (const end of [renew, issue]) t.is(await end(), '401 unauthenticated')
})

test('a password, a role and a scope that change before the body arrives are those of the request', async (t) => {
  const service = await lab(t)
  const [alice, bob] = [`/api/user/${idOf('alice')}`, `/api/user/${idOf('bob')}`]
  const change = async (who: string, path: string, body: object) =>
    t.is((await service.ask(who, `POST ${path}`, body)).status, 200)
  await change('admin', `${alice}/update`, { role: 'administrator' })
  const renaming = await beginRequest(t, service, `${bob}/update`, password('alice'), { name: 'rob' })
  await change('admin', `${alice}/update`, { role: 'tester' })
  t.is(await renaming(), '403 forbidden')
  const reserving = await beginRequest(
    ...([t, service, '/api/sut_reservation/create', password('alice')] as const),
    aReservation(service.sut),
  )
  await change('admin', `${alice}/update`, { scope: 'team=qa' })
  t.is(await reserving(), '404 sut_not_found #/sut_id')
  const issuing = await beginRequest(t, service, '/api/user/me/token', password('alice'), { name: 'late' })
  const secrets = { old_password: passwordOf('alice'), password: 'battery staple', revoke_tokens: true }
  await change('alice', '/api/user/me/password', secrets)
  t.is(await issuing(), '401 unauthenticated')
})

test('a request whose body arrives late is answered while its user may do the same as before', async (t) => {
  const service = await lab(t)
  const session = await begin(service, 'alice')
  const renew = await beginRequest(t, service, '/api/login/renew', bearer(session), {})
  const issue = await beginRequest(t, service, '/api/user/me/token', password('alice'), { name: 'late' })
  t.deepEqual([await renew(), await issue()], ['200', '201'])
})
