/**
 * Tokens are kept nowhere, and their names only sealed in the vault. Sessions and epochs are shown and written nowhere
 * but in the answers that begin and renew a session.
 */

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test from 'ava'
import type { SessionContent } from '../../../src/users/login-sessions.ts'
import { makeSealer } from '../../../src/vault/derived/sealer.ts'
import { type Service, serve } from '../../process/harness.ts'
import { ringIn } from '../../vault/setting.ts'
import { type Answer, basic } from '../client.ts'
import { temporaryData } from '../harness.ts'
import { bearer } from '../logins/login.ts'
import { leaks, placeOf, writtenBy } from './canary.ts'
import { canary } from './secret-requests.ts'

const PASSWORD = 'a password of the administrator'
const CREDENTIALS = { name: 'admin', password: PASSWORD }

type Sought = Readonly<Record<string, Buffer>>

/** The whole text of a token, and the secret in it. */
const partsOfToken = (token: string): Sought => ({
  [`the token ${token}`]: Buffer.from(token),
  [`the secret of the token ${token}`]: Buffer.from(token.slice(6), 'base64url').subarray(12),
})

/** A session, and the epoch in it. */
const partsOfSession = async (data: string, session: string): Promise<Sought> => {
  const ring = await ringIn(join(data, 'vault.key'))
  const epoch = makeSealer<SessionContent>(() => ring, 'berth session v2', randomBytes)
    .open(session)
    ?.at(-1)
  if (epoch === undefined) throw new Error('no session')
  return { [`the session ${session}`]: Buffer.from(session), [`the epoch ${epoch}`]: Buffer.from(String(epoch)) }
}

const statusesOf = (answers: readonly Answer[]): readonly number[] => answers.map(({ status }) => status)

const issue = (service: Service, name: string, key: string): Promise<Answer> => {
  const admin = service.as('admin', PASSWORD)
  return admin.post('/api/user/me/token', { name, expires_in: 3_600 }, { 'Idempotency-Key': key })
}

/** Uses two tokens in every way, the second of which is revoked. Returns answers, and those that echo their path. */
const useTokens = async (service: Service, name: string, [token, other, id]: readonly [string, string, string]) => {
  const admin = service.as('admin', PASSWORD)
  const answers = [
    await issue(service, name, 'one'),
    await service.get('/api/user/me', bearer(token)),
    await service.get('/api/user/me', { Authorization: basic(token, '') }),
    await service.get('/api/user/me/token', bearer(token)),
    await service.post(`/api/user/me/token/${id}/revoke`, {}, bearer(token)),
    await service.get('/api/user/me', bearer(other)),
    await service.get('/api/user/me', bearer(`${token}x`)),
    await service.get('/api/user/me', { Authorization: basic(`${token}x`, token) }),
    await service.get('/api/user/me', { Authorization: `Token ${token}` }),
  ]
  const echoes = [
    await service.get(`/api/user/${token}/token`, bearer(token)),
    await admin.get(`/api/user/${token}`),
    await admin.post('/api/user/me/token', { name: token, role: token }),
    await admin.post(`/api/user/me/token/${token}/revoke`, {}),
  ]
  return { answers, echoes }
}

/** Uses a session and the one that renews it in every way, then ends them. */
const useSessions = async (service: Service, session: string, renewed: string): Promise<readonly Answer[]> => [
  await service.get('/api/user/me', bearer(session)),
  await service.get('/api/user/me', bearer(`${session}x`)),
  await service.get('/api/user/me', { Authorization: `Session ${session}` }),
  await service.post('/api/login', { name: 'admin', password: session }),
  await service.post('/api/login', { name: session, password: PASSWORD }),
  await service.post('/api/login', { ...CREDENTIALS, session }),
  await service.get('/api/user/me/history', bearer(renewed)),
  await service.get('/metrics', bearer(renewed)),
  await service.post('/api/logout', {}, bearer(session)),
  await service.get('/api/user/me', bearer(renewed)),
]

test('no token, its name, no session and nothing of it is in any file, log line or further answer, even after a crash', async (t) => {
  const data = await temporaryData(t)
  const env = { BERTH_LOG_LEVEL: 'trace', BERTH_ADMIN_PASSWORD: PASSWORD }
  const service = await serve(t, { data, env })
  const name = canary()
  const issued = [await issue(service, name, 'one'), await issue(service, name, 'two')] as const
  const [token, other] = issued.map(({ json }) => String(json.token)) as [string, string]
  const begun = await service.post('/api/login', CREDENTIALS)
  const session = String(begun.json.session)
  const again = await service.post('/api/login/renew', {}, bearer(session))
  const renewed = String(again.json.session)
  t.deepEqual(statusesOf([...issued, begun, again]), [201, 201, 200, 200])
  const sought = {
    ...partsOfToken(token),
    ...partsOfToken(other),
    ...(await partsOfSession(data, session)),
    ...(await partsOfSession(data, renewed)),
    password: Buffer.from(PASSWORD),
  }
  const names = { 'the name': Buffer.from(name) }
  const everywhere = () => writtenBy(service, data)

  const { answers, echoes } = await useTokens(service, name, [token, other, String(issued[1].json._id)])
  t.deepEqual(statusesOf([...answers, ...echoes]), [201, 200, 200, 200, 200, 401, 401, 401, 401, 403, 404, 422, 404])
  const ofSessions = await useSessions(service, session, renewed)
  t.deepEqual(statusesOf(ofSessions), [200, 401, 401, 401, 401, 422, 200, 200, 200, 401])
  const events = await service.as('admin', PASSWORD).get('/api/events?limit=1000')
  t.is(events.status, 200)
  t.deepEqual(leaks(sought, [...answers, ...ofSessions, events].map(placeOf)), [])
  t.deepEqual(leaks({ ...sought, ...names }, [placeOf(events), ...(await everywhere())]), [])

  const dying = Array.from({ length: 20 }, (_, n) => issue(service, name, `dying ${n}`).catch(() => undefined))
  await dying[0]
  service.signal('SIGKILL')
  await Promise.all([...dying, service.exited])
  t.deepEqual(leaks({ ...sought, ...names }, await everywhere()), [])

  const restarted = await serve(t, { data, env })
  t.is((await restarted.get('/api/user/me', bearer(token))).status, 200)
  for (const ended of [other, session]) t.is((await restarted.get('/api/user/me', bearer(ended))).status, 401)
  const { text } = await restarted.as('admin', PASSWORD).get('/api/user/me/token')
  t.true(JSON.parse(text).tokens.every((one: { name: string }) => one.name === name))
  await restarted.stop()
  t.deepEqual(leaks({ ...sought, ...names }, await writtenBy(restarted, data)), [])
})
