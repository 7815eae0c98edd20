import test from 'ava'
import { idOf, type Running, start } from '../http/harness.ts'
import { bearer, begin, within } from '../http/logins/login.ts'
import { createSut, NOW } from '../http/requests.ts'
import { stopwatch } from '../http/until.ts'
import { eventsIn, LINES, type OpenStream, openStream } from './readers.ts'

/** Streams that were opened with tokens or sessions, and events of tokens in the feed. */

interface Token {
  readonly _id: string
  readonly token: string
}

const issue = async (service: Running, by: string, body: object = {}): Promise<Token> => {
  const { status, json, text } = await service.as(by).post('/api/user/me/token', { name: 'of this test', ...body })
  if (status !== 201) throw new Error(text)
  return json as unknown as Token
}

/** Opens a stream with a token or a session, and waits until it has begun. */
const openWith = async ({ port }: Running, credential: string): Promise<OpenStream> => {
  const stream = await openStream(port, '', { headers: { ...bearer(credential) } })
  await stream.until((so) => eventsIn(so).length > 0)
  return stream
}

const lastError = ({ reading }: OpenStream): unknown => {
  const { kind, data } = reading().messages.at(-1) ?? {}
  return kind === 'error' ? JSON.parse(String(data)).code : kind
}

const openAll = (service: Running, ...tokens: readonly Token[]): Promise<readonly OpenStream[]> =>
  Promise.all(tokens.map(({ token }) => openWith(service, token)))

/** Whether a stream still gets what happens. */
const isLive = async (service: Running, stream: OpenStream | undefined): Promise<boolean> => {
  const sut = await createSut(service.as('admin'))
  await stream?.until((so) => eventsIn(so).some(({ data }) => String(data).includes(sut)))
  return stream !== undefined
}

test('only the streams of a revoked token end, within 2 s', async (t) => {
  const service = await start(t, { now: NOW })
  const [revoked, kept] = [await issue(service, 'audrey'), await issue(service, 'audrey')]
  const [ended, live] = await openAll(service, revoked, kept)
  const taken = stopwatch()
  await service.as('audrey').post(`/api/user/me/token/${revoked._id}/revoke`, {})
  t.is(await ended?.ended, 'whole')
  t.true(taken() < 2_000)
  t.is(ended && lastError(ended), 'user_changed')
  t.true(await isLive(service, live))
})

test('streams opened with a token end when its user is removed or could not have its role', async (t) => {
  const service = await start(t, { now: NOW })
  const body = { name: 'second', role: 'administrator', password: 'a password' }
  const { _id } = (await service.as('admin').post('/api/user/create', body)).json
  const path = `/api/user/${_id}/token`
  const issued = async (role: string) =>
    (await service.as('admin').post(path, { name: 'x', role })).json as unknown as Token
  const [high, low, ofAudrey] = [await issued('administrator'), await issued('auditor'), await issue(service, 'audrey')]
  const [ofHigh, ofLow, removed] = await openAll(service, high, low, ofAudrey)
  const taken = stopwatch()
  await service.as('admin').post(`/api/user/${_id}/update`, { role: 'auditor' })
  await service.as('admin').post(`/api/user/${idOf('audrey')}/remove`, { reservations: 'keep' })
  t.deepEqual(await Promise.all([ofHigh?.ended, removed?.ended]), ['whole', 'whole'])
  t.true(taken() < 2_000)
  t.deepEqual(
    [ofHigh, removed].map((stream) => stream && lastError(stream)),
    ['user_changed', 'user_changed'],
  )
  t.true(await isLive(service, ofLow), 'an auditor may have a token of an auditor')
})

test('a stream opened with a token ends when the token expires', async (t) => {
  const service = await start(t, { now: NOW })
  const [soon, later] = [
    await issue(service, 'audrey', { expires_in: 60 }),
    await issue(service, 'audrey', { expires_in: 120 }),
  ]
  const [ended, live] = await openAll(service, soon, later)
  service.clock.set('2030-05-02T05:59:11.400Z')
  t.is(await ended?.ended, 'whole')
  t.is(ended && lastError(ended), 'user_changed')
  t.true(await isLive(service, live))
})

test('a new password ends the streams of its user, and those of tokens only if they are revoked', async (t) => {
  const service = await start(t, { now: NOW })
  const [own] = [await openStream(service.port)]
  const [ofToken] = await openAll(service, await issue(service, 'audrey'))
  const set = (more: object) =>
    service.as('admin').post(`/api/user/${idOf('audrey')}/password`, { password: 'another password', ...more })
  await set({})
  t.is(await own?.ended, 'whole')
  t.true(await isLive(service, ofToken))
  await set({ revoke_tokens: true })
  t.is(await ofToken?.ended, 'whole')
})

test('events of tokens are about their user, without their names', async (t) => {
  const service = await start(t, { now: NOW })
  const { _id, token } = await issue(service, 'alice', { name: 'CANARY' })
  await issue(service, 'bob')
  await service.as('admin').post(`/api/user/${idOf('alice')}/token/${_id}/revoke`, {})
  const query = `?user_id=${idOf('alice')}&type=TokenIssued&type=TokenRevoked`
  const { json, text } = await service.as('admin').get(`/api/events${query}`)
  const events = json.events as readonly { type: string; subject: string; actor: string; data: { _id: string } }[]
  t.deepEqual(
    events.map(({ type, subject, actor, data }) => [type, subject, actor, data._id]),
    [
      ['berth.TokenIssued', idOf('alice'), idOf('alice'), _id],
      ['berth.TokenRevoked', idOf('alice'), idOf('admin'), _id],
    ],
  )
  t.false(/CANARY|berth_/.test(text))
  t.false(text.includes(token))
  const lines = await service.as('audrey').get(`/api/events${query}`, { Accept: LINES })
  t.is(
    lines.text
      .trim()
      .split('\n')
      .filter((line) => line.includes('"berth.Token')).length,
    2,
  )
})

test('a logout ends the streams of its session within 2 s, and no others', async (t) => {
  const service = await start(t, { now: NOW })
  const [session, other] = [await begin(service, 'audrey'), await begin(service, 'audrey')]
  const [ended, live] = [await openWith(service, session), await openWith(service, other)]
  const taken = stopwatch()
  await within(service, session).post('/api/logout', {})
  t.is(await ended.ended, 'whole')
  t.true(taken() < 2_000)
  t.is(lastError(ended), 'user_changed')
  t.true(await isLive(service, live))
  await service.as('audrey').post('/api/logout', { everywhere: true })
  t.is(await live.ended, 'whole')
})

test('a logout everywhere leaves the streams that a password has opened', async (t) => {
  const service = await start(t, { now: NOW })
  const own = await openStream(service.port)
  await own.until((so) => eventsIn(so).length > 0)
  const ended = await openWith(service, await begin(service, 'audrey'))
  await service.as('audrey').post('/api/logout', { everywhere: true })
  t.is(await ended.ended, 'whole')
  t.true(await isLive(service, own))
})

test('streams of a session end with a new password and with a removal', async (t) => {
  const service = await start(t, { now: NOW })
  const path = `/api/user/${idOf('audrey')}`
  const first = await openWith(service, await begin(service, 'audrey'))
  await service.as('admin').post(`${path}/password`, { password: 'correct horse audrey' })
  t.is(await first.ended, 'whole')
  const second = await openWith(service, await begin(service, 'audrey'))
  await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  t.is(await second.ended, 'whole')
})

test('a stream ends when its session expires, although the session was renewed meanwhile', async (t) => {
  const service = await start(t, { now: NOW })
  const session = await begin(service, 'audrey')
  const stream = await openWith(service, session)
  service.clock.set('2030-05-02T12:00:00.000Z')
  const renewed = await within(service, session).post('/api/login/renew', {})
  const live = await openWith(service, String(renewed.json.session))
  service.clock.set('2030-05-02T17:58:11.400Z')
  t.is(await stream.ended, 'whole')
  t.is(lastError(stream), 'user_changed')
  t.true(await isLive(service, live))
})
