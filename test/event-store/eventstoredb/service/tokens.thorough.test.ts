import test, { type ExecutionContext } from 'ava'
import { idOf, type Running } from '../../../http/harness.ts'
import { until } from '../../../http/until.ts'
import { startInstances } from './instances.ts'

/** Tokens on instances that share only the store. */

type Two = readonly [Running, Running]

interface Token {
  readonly _id: string
  readonly token: string
}

const two = async (t: ExecutionContext) => {
  const { services, ...rest } = await startInstances(t, { count: 2 })
  return { services: services as unknown as Two, ...rest }
}

const issue = async (at: Running, by: string, body: object = {}): Promise<Token> => {
  const { status, json, text } = await at.as(by).post('/api/user/me/token', { name: 'shared', ...body })
  if (status !== 201) throw new Error(text)
  return json as unknown as Token
}

const statusWith = async ({ anyone }: Running, { token }: Token): Promise<number> =>
  (await anyone.get('/api/user/me', { Authorization: `Bearer ${token}` })).status

const WITHIN = 2_000

/** Asserts that an instance answers requests with a token with this status, soon. */
const becomes = (at: Running, token: Token, status: number): Promise<void> =>
  until(`the status ${status}`, async () => (await statusWith(at, token)) === status, WITHIN)

test('a token is good on every instance, and once revoked on one it is refused on the others within 2 s', async (t) => {
  const { services } = await two(t)
  const [one, other] = services
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const token = await issue(first, 'alice')
    await becomes(second, token, 200)
    t.is((await first.as('alice').post(`/api/user/me/token/${token._id}/revoke`, {})).status, 200)
    t.is(await statusWith(first, token), 401)
    await becomes(second, token, 401)
    t.is(await statusWith(second, token), 401)
  }
})

test('thorough: every instance lists tokens with their names, and revokes those that another has issued', async (t) => {
  const { services } = await two(t)
  const [one, other] = services
  const tokens = [await issue(one, 'alice', { name: 'first' }), await issue(other, 'alice', { name: 'second' })]
  for (const service of services) {
    const { json } = await service.as('alice').get('/api/user/me/token')
    t.deepEqual(
      (json.tokens as readonly { name: string }[]).map(({ name }) => name),
      ['second', 'first'],
    )
  }
  const answers = await Promise.all(
    [other, one].map((service, n) => service.as('alice').post(`/api/user/me/token/${tokens[n]?._id}/revoke`, {})),
  )
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  for (const token of tokens) for (const service of services) await becomes(service, token, 401)
})

test('thorough: the tokens of a user removed at one instance are refused at the others within 2 s, and stay so', async (t) => {
  const { services, log } = await two(t)
  const [one, other] = services
  const token = await issue(other, 'alice')
  await becomes(one, token, 200)
  const path = `/api/user/${idOf('alice')}`
  t.is((await one.as('admin').post(`${path}/remove`, { reservations: 'keep' })).status, 200)
  await becomes(other, token, 401)
  t.is((await one.as('admin').post(`${path}/restore`, {})).status, 200)
  await until('alice is known', async () => (await other.as('alice').get('/api/user/me')).status === 200, WITHIN)
  for (const service of services) t.is(await statusWith(service, token), 401)
  t.is((await log()).filter(({ type }) => type === 'TokenRevoked').length, 1)
})

test('a repetition at another instance issues no second token and shows none', async (t) => {
  const { services } = await two(t)
  const [one, other] = services
  const ask = (at: Running) =>
    at.as('alice').post('/api/user/me/token', { name: 'once' }, { 'Idempotency-Key': 'once' })
  const [first, again] = [await ask(one), await ask(other)]
  const { token, ...others } = first.json
  t.regex(String(token), /^berth_/)
  t.deepEqual([again.status, again.text], [201, JSON.stringify(others)])
  t.is((await other.as('alice').get('/api/user/me/token')).json.count, 1)
})

test('thorough: of concurrent revocations through both instances one succeeds', async (t) => {
  const { services, log } = await two(t)
  const token = await issue(services[0], 'alice')
  await becomes(services[1], token, 200)
  const answers = await Promise.all(
    [...services, ...services].map((at) =>
      at.as('admin').post(`/api/user/${idOf('alice')}/token/${token._id}/revoke`, {}),
    ),
  )
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404, 404])
  t.is((await log()).filter(({ type }) => type === 'TokenRevoked').length, 1)
})
