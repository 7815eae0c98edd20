import test from 'ava'
import { type Answer, basic } from '../../http/client.ts'
import { idOf, type Running } from '../../http/harness.ts'
import { refusalOf } from '../../http/refusals/problems.ts'
import { aSut } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { makeCut, REFUSED_WITHIN, twoInstances } from './stage.ts'

/** Milliseconds within which a change counts on every instance. */
const IN_FORCE_WITHIN = 2_000

const ask = ({ anyone }: Running, name: string, password?: string, path = '/api/user/me'): Promise<Answer> =>
  anyone.get(path, { Authorization: basic(name, password) })

const statusOf = async (service: Running, name: string): Promise<number> => (await ask(service, name)).status

/** More attempts with wrong passwords and unknown names than an address has. */
const GUESSES = 30

test('an instance that has been cut off for more than 10 s refuses all who need a user, and counts no attempt', async (t) => {
  const { cut, restore, change } = makeCut()
  const { one, other } = await twoInstances(t, { change: (instance) => (instance === 1 ? change : undefined) })
  t.deepEqual([await statusOf(other, 'alice'), (await ask(other, 'admin', undefined, '/metrics')).status], [200, 200])
  cut()
  t.is((await one.as('admin').post(`/api/user/${idOf('alice')}/remove`, { reservations: 'keep' })).status, 200)
  const seen = new Set<unknown>()
  const refuses = async (): Promise<boolean> => {
    const status = await statusOf(other, 'alice')
    seen.add(status)
    return status === 503
  }
  await until('it refuses', refuses, REFUSED_WITHIN)
  t.deepEqual([...seen], [200, 503])
  const refused = [
    await ask(other, 'admin'),
    await other.as('admin').post('/api/sut/create', aSut()),
    await other.as('alice').get('/api/sut'),
    await other.anyone.get('/api/sut'),
  ]
  for (let n = 0; n < GUESSES; n++) refused.push(await ask(other, n % 2 === 0 ? 'audrey' : 'nobody', `guess ${n}`))
  for (const answer of refused) {
    t.deepEqual(refusalOf(answer), [503, 'unavailable'])
    t.regex(String(answer.headers['retry-after']), /^[1-9]\d*$/)
  }
  t.is((await other.anyone.get('/health/live')).status, 200)
  t.is((await other.anyone.get('/health/ready')).status, 503)
  // Who was verified before learns from the metrics that something is wrong, and nobody else.
  const metrics = await ask(other, 'admin', undefined, '/metrics')
  t.deepEqual([metrics.status, metrics.text.includes('\nberth_ready 0\n')], [200, true])
  t.deepEqual(refusalOf(await ask(other, 'admin', 'a new password', '/metrics')), [503, 'unavailable'])
  t.deepEqual(refusalOf(await other.anyone.get('/metrics')), [503, 'unavailable'])
  t.is(await statusOf(one, 'bob'), 200, 'only that instance refuses')
  restore()
  await until('it answers', async () => (await statusOf(other, 'admin')) === 200, IN_FORCE_WITHIN)
  await until('the removal counts', async () => (await statusOf(other, 'alice')) === 401, IN_FORCE_WITHIN)
  t.is((await other.anyone.get('/health/ready')).status, 200)
  t.is((await ask(other, 'audrey', 'another guess')).status, 401)
})
