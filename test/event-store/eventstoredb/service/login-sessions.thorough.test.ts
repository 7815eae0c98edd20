import test, { type ExecutionContext } from 'ava'
import type { Running } from '../../../http/harness.ts'
import { bearer, begin, statusWith, within } from '../../../http/logins/login.ts'
import { until } from '../../../http/until.ts'
import { startInstances } from './instances.ts'

/** Sessions of logins on instances that share only the store. */

const two = async (t: ExecutionContext) => {
  const { services, ...rest } = await startInstances(t, { count: 2 })
  return { services: services as unknown as readonly [Running, Running], ...rest }
}

const WITHIN = 2_000

const becomes = (at: Running, session: string, status: number): Promise<void> =>
  until(`the status ${status}`, async () => (await statusWith(at, session)) === status, WITHIN)

test('a session is good on every instance at once, and after a logout at one refused at the others within 2 s', async (t) => {
  const { services } = await two(t)
  for (const [one, other] of [services, services.toReversed() as [Running, Running]]) {
    const session = await begin(one, 'alice')
    t.is(await statusWith(other, session), 200)
    t.is((await within(other, session).post('/api/logout', {})).status, 200)
    t.is(await statusWith(other, session), 401)
    await becomes(one, session, 401)
    t.is(await statusWith(other, session), 401)
  }
})

test('thorough: a session that began after a logout everywhere at another instance is good at once', async (t) => {
  const { services } = await two(t)
  const [one, other] = services
  for (let round = 0; round < 5; round++) {
    const before = await begin(other, 'alice')
    t.is((await one.anyone.post('/api/logout', { everywhere: true }, bearer(before))).status, 200)
    const session = await begin(one, 'alice')
    t.is(await statusWith(other, session), 200, 'it reads what it did not know')
    await becomes(other, before, 401)
  }
})

test('one session that is ended at two instances at the same time stays ended', async (t) => {
  const { services, log } = await two(t)
  const session = await begin(services[0], 'alice')
  const answers = await Promise.all(services.map((at) => within(at, session).post('/api/logout', {})))
  t.true(answers.some(({ status }) => status === 200))
  for (const at of services) await becomes(at, session, 401)
  t.true((await log()).filter(({ type }) => type === 'TokenRevoked').length >= 1)
})
