import test from 'ava'
import { idOf, type Running, start } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'
import { stopwatch } from '../http/until.ts'
import { eventsIn, LINES, type OpenStream, openStream } from './readers.ts'

/** Streams that were opened with tokens, and events of tokens in the feed. */

interface Token {
  readonly _id: string
  readonly token: string
}

const issue = async (service: Running, by: string, body: object = {}): Promise<Token> => {
  const { status, json, text } = await service.as(by).post('/api/user/me/token', { name: 'of this test', ...body })
  if (status !== 201) throw new Error(text)
  return json as unknown as Token
}

const openWith = ({ port }: Running, { token }: Token, query = ''): Promise<OpenStream> =>
  openStream(port, query, { headers: { Authorization: `Bearer ${token}` } })

const lastError = ({ reading }: OpenStream): unknown => {
  const { kind, data } = reading().messages.at(-1) ?? {}
  return kind === 'error' ? JSON.parse(String(data)).code : kind
}

/** Opens a stream with each token, and waits until it has begun. */
const openAll = async (service: Running, ...tokens: readonly Token[]): Promise<readonly OpenStream[]> => {
  const streams = await Promise.all(tokens.map((token) => openWith(service, token)))
  for (const stream of streams) await stream.until((so) => eventsIn(so).length > 0)
  return streams
}

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
