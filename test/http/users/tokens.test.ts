/** Shows how tokens take the place of passwords. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { basic } from '../client.ts'
import { idOf, type Running, start, temporaryData } from '../harness.ts'
import { said } from '../lab.ts'
import { aReservation, createSut, NOW } from '../requests.ts'
import { eventsOf } from '../store/log-rows.ts'
import { changedStore } from '../store/stores.ts'
import '../documents/fit-answers.ts'

const given = (t: ExecutionContext): Promise<Running> => start(t, { now: NOW })

const MINE = '/api/user/me/token'
const theirs = (name: string): string => `/api/user/${idOf(name)}/token`

interface Token {
  readonly _id: string
  readonly token: string
  readonly role: string
}

const issue = async (service: Running, by: string, body: object = {}, path = MINE): Promise<Token> => {
  const { status, json, text } = await service.as(by).post(path, { name: 'ci', ...body })
  if (status !== 201) throw new Error(text)
  return json as unknown as Token
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Who a token stands for, or the code of the refusal. */
const whoIs = async ({ anyone }: Running, token: string): Promise<unknown> => {
  const { json } = await anyone.get('/api/user/me', bearer(token))
  return json.name ?? json.code
}

test('a token that was issued is shown once and takes the place of a name and a password', async (t) => {
  const service = await given(t)
  const { status, json, headers } = await service.as('alice').post(MINE, { name: 'nightly build' })
  const { _id, token, ...others } = json
  t.is(status, 201)
  t.regex(String(token), /^berth_[\w-]{43}$/)
  t.deepEqual(others, { name: 'nightly build', role: 'tester', created_at: NOW, expires_at: null })
  t.regex(String(headers['berth-position']), /^\d{20}$/)
  const ways = [bearer(String(token)), { Authorization: basic(String(token), '') }]
  for (const way of [...ways, { Authorization: basic(String(token), 'any: password') }])
    t.is((await service.anyone.get('/api/user/me', way)).json._id, idOf('alice'))
  const { text } = await service.as('alice').get(MINE)
  t.deepEqual(JSON.parse(text).tokens, [{ _id, ...others }])
  t.false(text.includes(String(token)))
})

test('the name of a token has 1 to 64 visible characters', async (t) => {
  const service = await given(t)
  for (const name of ['n', '\u{1f511} für CI: nightly', 'n'.repeat(64)])
    t.is((await service.as('alice').post(MINE, { name })).json.name, name)
  for (const name of ['', 'n'.repeat(65), 'a\u202eb', 'a\u200bb', 'a\tb', 'a\u034fb'])
    t.is(said(await service.as('alice').post(MINE, { name })), '422 invalid #/name', name)
})

test('what is done with a token is done by its user', async (t) => {
  const service = await given(t)
  const sut = await createSut(service.as('admin'))
  const { token } = await issue(service, 'alice')
  const made = await service.anyone.post('/api/sut_reservation/create', aReservation(sut), bearer(token))
  t.is(made.status, 201)
  const event = (await eventsOf(service)).at(-1)
  t.deepEqual([event?.metadata.actor, event?.metadata.role], [idOf('alice'), 'tester'])
})

test('a token that expires issues none that outlives it', async (t) => {
  const service = await given(t)
  const short = await issue(service, 'alice', { expires_in: 120 })
  const lasting = await issue(service, 'alice')
  const expiryOf = async (token: string, body: object) =>
    (await service.anyone.post(MINE, { name: 'child', ...body }, bearer(token))).json.expires_at
  t.is(await expiryOf(short.token, {}), '2030-05-02T06:00:11.400Z')
  t.is(await expiryOf(short.token, { expires_in: 3600 }), '2030-05-02T06:00:11.400Z')
  t.is(await expiryOf(short.token, { expires_in: 60 }), '2030-05-02T05:59:11.400Z')
  t.is(await expiryOf(lasting.token, {}), null)
  t.is(await expiryOf(lasting.token, { expires_in: 3600 }), '2030-05-02T06:58:11.400Z')
})

test('a token is good until it expires', async (t) => {
  const service = await given(t)
  const { token } = await issue(service, 'alice', { expires_in: 60 })
  const { json } = await service.as('alice').get(MINE)
  t.like(json, { count: 1, tokens: [{ expires_at: '2030-05-02T05:59:11.400Z' }] })
  service.clock.set('2030-05-02T05:59:11.399Z')
  t.is(await whoIs(service, token), 'alice')
  service.clock.set('2030-05-02T05:59:11.400Z')
  t.is(await whoIs(service, token), 'unauthenticated')
  t.like((await service.as('alice').get(MINE)).json, { count: 0, tokens: [] })
})

test('a revoked token is refused from the next request on', async (t) => {
  const service = await given(t)
  const [kept, { _id, token }] = [await issue(service, 'alice', { name: 'kept' }), await issue(service, 'alice')]
  const revoke = (by: string, path = MINE) => service.as(by).post(`${path}/${_id}/revoke`, {})
  t.is(said(await revoke('bob')), '404 token_not_found')
  t.is(said(await revoke('admin', theirs('bob'))), '404 token_not_found')
  t.is(await whoIs(service, token), 'alice')
  const { json } = await revoke('alice')
  const shown = { name: 'ci', role: 'tester', created_at: NOW, expires_at: null }
  t.deepEqual(json, { _id, ...shown, revoked_at: NOW })
  t.is(await whoIs(service, token), 'unauthenticated')
  t.is(await whoIs(service, kept.token), 'alice')
  t.is(said(await revoke('alice')), '404 token_not_found')
  t.like((await service.as('alice').get(MINE)).json, { count: 1, tokens: [{ name: 'kept' }] })
})

test('administrators manage tokens of others', async (t) => {
  const service = await given(t)
  const { _id, token, role } = await issue(service, 'admin', {}, theirs('alice'))
  t.is(role, 'tester')
  t.is(await whoIs(service, token), 'alice')
  t.like((await service.as('admin').get(theirs('alice'))).json, { count: 1 })
  t.is((await service.as('admin').post(`${theirs('alice')}/${_id}/revoke`, {})).status, 200)
  t.is(said(await service.as('admin').get(theirs('nobody'))), '404 user_not_found')
})

test('a request issues only roles that it has itself and that the user may have', async (t) => {
  const service = await given(t)
  const refused = '403 forbidden'
  const ask = async (by: string, role: string, path = MINE) =>
    said(await service.as(by).post(path, { name: 'x', role }))
  t.is(await ask('alice', 'administrator'), refused)
  t.is(await ask('alice', 'auditor'), refused)
  t.is(await ask('admin', 'administrator', theirs('alice')), refused)
  for (const role of ['administrator', 'tester', 'auditor']) t.is(await ask('admin', role), '201')
  const { token } = await issue(service, 'admin', { role: 'tester' })
  const next = await service.anyone.post(MINE, { name: 'next' }, bearer(token))
  t.is(next.json.role, 'tester', 'the role of the request unless another is given')
  const higher = await service.anyone.post(MINE, { name: 'next', role: 'administrator' }, bearer(token))
  t.is(said(higher), refused)
})

test('a token has its own role, and is refused when its user could not have that role', async (t) => {
  const service = await given(t)
  await service.as('admin').post('/api/user/create', { name: 'root', role: 'administrator', password: 'a password' })
  const [low, high] = [await issue(service, 'admin', { role: 'auditor' }), await issue(service, 'admin')]
  const create = ({ token }: Token) => service.anyone.post('/api/sut/create', {}, bearer(token))
  t.is((await service.anyone.get('/api/user/me', bearer(low.token))).json._id, idOf('admin'))
  t.is(said(await create(low)), '403 forbidden')
  t.is((await create(high)).status, 422)
  const demote = { Authorization: basic('root', 'a password') }
  await service.anyone.post(`/api/user/${idOf('admin')}/update`, { role: 'auditor' }, demote)
  t.is(await whoIs(service, high.token), 'unauthenticated')
  t.is(await whoIs(service, low.token), 'admin')
})

test('a removal revokes tokens, which stay revoked when the user is restored', async (t) => {
  const service = await given(t)
  const tokens = [await issue(service, 'alice'), await issue(service, 'alice')]
  const path = `/api/user/${idOf('alice')}`
  await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  for (const { token } of tokens) t.is(await whoIs(service, token), 'unauthenticated')
  t.is(said(await service.as('admin').post(theirs('alice'), { name: 'x' })), '410 user_removed')
  await service.as('admin').post(`${path}/restore`, {})
  for (const { token } of tokens) t.is(await whoIs(service, token), 'unauthenticated')
  const revoked = (await eventsOf(service)).filter(({ type }) => type === 'TokenRevoked')
  t.deepEqual(
    revoked.map(({ metadata }) => `${metadata.actor} as ${metadata.role}`),
    ['berth as system', 'berth as system'],
  )
  t.is(await whoIs(service, (await issue(service, 'alice')).token), 'alice')
})

test('a new password revokes tokens only if asked to', async (t) => {
  const service = await given(t)
  const { token } = await issue(service, 'alice')
  const set = (body: object) => service.as('admin').post(`/api/user/${idOf('alice')}/password`, body)
  t.is((await set({ password: 'another password' })).status, 200)
  t.is(await whoIs(service, token), 'alice')
  t.is((await set({ password: 'a third password', revoke_tokens: true })).status, 200)
  t.is(await whoIs(service, token), 'unauthenticated')
  const own = await issue(service, 'bob')
  const change = { old_password: 'correct horse bob', password: 'another password', revoke_tokens: true }
  t.is((await service.as('bob').post('/api/user/me/password', { ...change, old_password: 'x' })).status, 403)
  t.is(await whoIs(service, own.token), 'bob')
  t.is((await service.as('bob').post('/api/user/me/password', change)).status, 200)
  t.is(await whoIs(service, own.token), 'unauthenticated')
})

test('a repetition is answered as the first request, without the token', async (t) => {
  const service = await given(t)
  const headers = { 'Idempotency-Key': 'once' }
  const ask = () => service.as('alice').post(MINE, { name: 'ci', expires_in: 3600 }, headers)
  const [first, again] = [await ask(), await ask()]
  const { token, ...others } = first.json
  t.deepEqual([again.status, again.text], [201, JSON.stringify(others)])
  t.is((await service.as('alice').get(MINE)).json.count, 1)
  const revoke = () => service.as('alice').post(`${MINE}/${first.json._id}/revoke`, {}, { 'Idempotency-Key': 'gone' })
  const [revoked, repeated] = [await revoke(), await revoke()]
  t.is(revoked.status, 200)
  t.is(repeated.text, revoked.text)
  t.is((await ask()).text, JSON.stringify(others))
  t.is(await whoIs(service, String(token)), 'unauthenticated')
  const reused = await service.as('alice').post(MINE, { name: 'other' }, headers)
  t.is(said(reused), '422 idempotency_key_reused Idempotency-Key')
})

test('a list of tokens has pages, newest first', async (t) => {
  const service = await given(t)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await issue(service, 'alice', { name }))._id)
  const page = async (query: string) => {
    const { json } = await service.as('alice').get(`${MINE}?${query}`)
    return (json.tokens as Token[] | undefined)?.map(({ _id }) => _id) ?? json.code
  }
  t.deepEqual(await page('limit=2'), ids.slice(0, 2))
  t.deepEqual(await page('limit=2&offset=2'), ids.slice(2))
  t.deepEqual(await page(`before=${ids[0]}&limit=1`), ids.slice(1, 2))
  t.deepEqual(await page('before=000000000000000000000000'), 'invalid')
})

test('names of tokens are in the vault until their user is erased, and in no event', async (t) => {
  const data = await temporaryData(t)
  const opened = Promise.withResolvers<EventStore>()
  const openStore = changedStore(join(data, 'events.db'), (store) => {
    opened.resolve(store)
    return {}
  })
  const service = await start(t, { now: NOW, data, openStore })
  const store = await opened.promise
  const { _id } = await issue(service, 'alice', { name: 'CANARY of a name' })
  await issue(service, 'bob', { name: 'of another user' })
  t.false(JSON.stringify(await eventsOf(service)).includes('CANARY'))
  const fieldsOf = async (name: string) => (await store.readSecrets(`tokens:${idOf(name)}`)).map(({ field }) => field)
  t.deepEqual(await fieldsOf('alice'), [_id])
  const path = `/api/user/${idOf('alice')}`
  await service.as('admin').post(`${path}/remove`, { reservations: 'keep' })
  t.deepEqual(await fieldsOf('alice'), [_id])
  t.is((await service.as('admin').post(`${path}/erase`, {})).status, 200)
  t.deepEqual(await fieldsOf('alice'), [])
  t.is((await fieldsOf('bob')).length, 1)
  t.is(said(await service.as('admin').get(theirs('alice'))), '410 user_removed')
})
