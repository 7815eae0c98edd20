import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { EXCHANGES_MAX } from '../../../../src/http/routes/login/single-sign-on.ts'
import { forgeToken, signToken } from '../../../users/oidc/lab-provider.ts'
import { start } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { NOW } from '../../requests.ts'
import { until } from '../../until.ts'
import { comeBack, environmentFor, finish, signOn, startWithLab } from './stage.ts'
import '../../documents/fit-answers.ts'

const FAILED = [403, 'sign_in_failed']
const AWAY = [502, 'provider_unavailable']

test('without a provider there is no single sign-on', async (t) => {
  const { anyone } = await start(t, { now: NOW })
  t.deepEqual(refusalOf(await anyone.post('/api/login/oidc/start', {})), [404, 'oidc_not_configured'])
  const end = { code: 'c', state: 's', transaction: 't' }
  t.deepEqual(refusalOf(await finish({ anyone }, end)), [404, 'oidc_not_configured'])
})

test('a transaction that was changed, made up or of another sign-in ends none', async (t) => {
  const { service } = await startWithLab(t)
  const [own, other] = [await comeBack(service, 'anna'), await comeBack(service, 'zoe')]
  const forged = [
    { ...own, transaction: other.transaction },
    { ...own, state: other.state },
    { ...own, code: other.code },
    { ...other, transaction: own.transaction, state: own.state },
    { ...own, transaction: 'x' },
    { ...own, transaction: `${own.transaction.slice(0, -4)}AAAA` },
  ]
  for (const end of forged) t.deepEqual(refusalOf(await finish(service, end)), FAILED)
  t.is((await signOn(service, 'anna')).status, 200)
})

test('a sign-in ends once', async (t) => {
  const { service } = await startWithLab(t)
  const end = await comeBack(service, 'anna')
  const both = await Promise.all([finish(service, end), finish(service, end)])
  t.deepEqual(both.map(({ status }) => status).toSorted(), [200, 403])
  t.deepEqual(refusalOf(await finish(service, end)), FAILED)
  const again = await service.anyone.post('/api/login/oidc/finish', end, { 'Idempotency-Key': 'k' })
  t.deepEqual(refusalOf(again), FAILED)
})

test('a sign-in that takes longer than ten minutes is refused', async (t) => {
  const { service } = await startWithLab(t, { now: NOW })
  const [early, late] = [await comeBack(service, 'anna'), await comeBack(service, 'anna')]
  service.clock.set('2030-05-02T06:08:11.399Z')
  t.is((await finish(service, early)).status, 200)
  service.clock.set('2030-05-02T06:08:11.400Z')
  const refused = await finish(service, late)
  t.deepEqual(refusalOf(refused), FAILED)
  t.regex(String(refused.json.detail), /longer than ten minutes/)
})

test('a forged token is refused, the log says why, and neither says what it had', async (t) => {
  const { lab, service } = await startWithLab(t)
  const end = await comeBack(service, 'anna')
  lab.forge(forgeToken((claims) => signToken({ ...claims, aud: 'another', nonce: 'CaNaRy' }, lab.key())))
  const refused = await finish(service, end)
  t.deepEqual(refusalOf(refused), FAILED)
  const line = service.log.find(({ sentence }) => sentence === 'a single sign-on failed')
  t.like(line, { level: 'warn', facts: { request_id: refused.json.instance } })
  t.regex(JSON.stringify(line?.facts), /aud/)
  const told = refused.text + JSON.stringify(service.log)
  for (const secret of ['CaNaRy', end.code, end.state, end.transaction, 'anna']) t.false(told.includes(secret), secret)
})

test('a service starts while the provider is away, and signs in when it is back', async (t) => {
  const { lab, service } = await startWithLab(t)
  await lab.away()
  const environment = await environmentFor(t, lab.issuer)
  const late = await start(t, { environment })
  t.is((await late.anyone.get('/health/ready')).status, 200)
  const refused = await late.anyone.post('/api/login/oidc/start', {})
  t.deepEqual(refusalOf(refused), AWAY)
  t.is(refused.headers['retry-after'], '5')
  t.deepEqual(refusalOf(await finish(service, { code: 'c', state: 's', transaction: 't' })), FAILED)
  await lab.back()
  const begins = async () => (await late.anyone.post('/api/login/oidc/start', {})).status === 200
  await until('a sign-in begins', begins, 60_000)
  t.is((await signOn(late, 'anna')).status, 200)
})

test('thorough: a code that the provider could not take is good when it can', async (t) => {
  const { lab, service } = await startWithLab(t)
  const end = await comeBack(service, 'anna')
  await lab.away()
  t.deepEqual(refusalOf(await finish(service, end)), AWAY)
  await lab.back()
  t.is((await finish(service, end)).status, 200)
})

test('thorough: sign-ins that wait for the provider are limited, and hold nothing else up', async (t) => {
  const { lab, service } = await startWithLab(t)
  const ends = await Promise.all(Array.from({ length: EXCHANGES_MAX + 1 }, () => comeBack(service, 'anna')))
  const waiting = Promise.withResolvers<void>()
  lab.forge(async (path) => {
    if (path === '/token') await waiting.promise
    return undefined
  })
  const finishing = ends.slice(1).map((end) => finish(service, end))
  await until('all wait', async () => lab.asked.filter((path) => path === '/token').length === EXCHANGES_MAX, 60_000)
  const one = await finish(service, ends[0] as object)
  t.deepEqual(refusalOf(one), [503, 'unavailable'])
  t.is((await service.as('alice').get('/api/user/me')).status, 200)
  waiting.resolve()
  t.true((await Promise.all(finishing)).every(({ status }) => status === 200))
  t.is((await finish(service, ends[0] as object)).status, 200)
})

test('thorough: what was forged counts as failed logins of the address, and a sign-in from there must wait', async (t) => {
  const { service } = await startWithLab(t, { now: NOW })
  const end = await comeBack(service, 'anna')
  for (let n = 0; n < 100; n++) t.is((await finish(service, { ...end, transaction: 'x' })).status, 403)
  t.deepEqual(refusalOf(await finish(service, end)), [429, 'too_many_attempts'])
  service.clock.set('2030-05-02T06:00:00.000Z')
  t.is((await finish(service, end)).status, 200)
})

test('what is too long is refused before anybody is asked', async (t) => {
  const { lab, service } = await startWithLab(t)
  const end = await comeBack(service, 'anna')
  const before = lab.asked.length
  for (const [member, length] of [
    ['code', 4_097],
    ['state', 257],
    ['transaction', 1_025],
    ['iss', 2_049],
  ] as const)
    t.is((await finish(service, { ...end, [member]: 'x'.repeat(length) })).status, 422, member)
  t.is((await finish(service, { ...end, more: 1 })).status, 422)
  await delay(0)
  t.is(lab.asked.length, before)
})
