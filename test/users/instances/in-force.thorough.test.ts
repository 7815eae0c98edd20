import test, { type ExecutionContext } from 'ava'
import { type Answer, basic } from '../../http/client.ts'
import { idOf, type Running } from '../../http/harness.ts'
import { refusalOf } from '../../http/refusals/problems.ts'
import { aReservation, aSut, reserve } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { makeCut, REFUSED_WITHIN, twoInstances } from './stage.ts'

/** Changes of users on one instance, and when they count on the other. */

/** Milliseconds within which a change counts on every instance. */
const IN_FORCE_WITHIN = 2_000
const NEW_PASSWORD = 'a new password'

type Who = readonly [name: string, password?: string]

const ask = ({ anyone }: Running, [name, password]: Who, path = '/api/user/me'): Promise<Answer> =>
  anyone.get(path, { Authorization: basic(name, password) })

/** The role that an instance takes the client for, or the status of the refusal. */
const roleAt = async (service: Running, ...who: Who): Promise<unknown> => {
  const { status, json } = await ask(service, who)
  return status === 200 ? json.role : status
}

interface Change {
  readonly path: string
  readonly body: object
  /** What an instance that knows the change says. */
  readonly isKnown: (service: Running) => Promise<boolean>
}

/** A removal, a new role and a new password, by what they change. */
const CHANGES: Readonly<Record<string, Change>> = {
  removal: {
    path: `/api/user/${idOf('alice')}/remove`,
    body: { reservations: 'keep' },
    isKnown: async (service) => (await roleAt(service, 'alice')) === 401,
  },
  role: {
    path: `/api/user/${idOf('bob')}/update`,
    body: { role: 'auditor' },
    isKnown: async (service) =>
      (await roleAt(service, 'bob')) === 'auditor' &&
      (await reserve(service.as('bob'), aReservation(idOf('bob')))).status === 403,
  },
  password: {
    path: `/api/user/${idOf('audrey')}/password`,
    body: { password: NEW_PASSWORD },
    isKnown: async (service) =>
      (await roleAt(service, 'audrey')) === 401 && (await roleAt(service, 'audrey', NEW_PASSWORD)) === 'auditor',
  },
}

const makeAll = async (t: ExecutionContext, service: Running): Promise<void> => {
  for (const { path, body } of Object.values(CHANGES)) {
    const { status, text } = await service.as('admin').post(path, body)
    t.is(status, 200, text)
  }
}

const areInForce = async (service: Running): Promise<void> => {
  const known = Object.entries(CHANGES).map(([what, { isKnown }]) =>
    until(`the ${what} is in force`, () => isKnown(service), IN_FORCE_WITHIN),
  )
  await Promise.all(known)
}

/** All users are known there as they were imported, and their credentials are in the cache. */
const allSignIn = async (t: ExecutionContext, service: Running): Promise<void> => {
  const roles = await Promise.all(['alice', 'bob', 'audrey'].map((name) => roleAt(service, name)))
  t.deepEqual(roles, ['tester', 'tester', 'auditor'])
}

const oneAndCut = async (t: ExecutionContext) => {
  const { cut, restore, change } = makeCut()
  const two = await twoInstances(t, { change: (instance) => (instance === 1 ? change : undefined) })
  await allSignIn(t, two.other)
  return { ...two, cut, restore }
}

/** Attempts with wrong passwords and unknown names, more than an address has. */
const guess = async (service: Running, attempts: number): Promise<readonly Answer[]> => {
  const answers: Answer[] = []
  for (let n = 0; n < attempts; n++) answers.push(await ask(service, [n % 2 === 0 ? 'audrey' : 'nobody', `guess ${n}`]))
  return answers
}

const GUESSES = 30

test('thorough: an instance that has been cut off for more than 10 s refuses all who need a user, and counts no attempt', async (t) => {
  const { one, other, cut, restore } = await oneAndCut(t)
  t.is((await ask(other, ['admin'], '/metrics')).status, 200)
  cut()
  await makeAll(t, one)
  const seen = new Set<unknown>()
  const refuses = async (): Promise<boolean> => {
    const { status } = await ask(other, ['alice'])
    seen.add(status)
    return status === 503
  }
  await until('it refuses', refuses, REFUSED_WITHIN)
  t.deepEqual([...seen], [200, 503])
  const refused = [
    ...(await guess(other, GUESSES)),
    await ask(other, ['admin']),
    await ask(other, ['audrey', NEW_PASSWORD]),
    await other.as('admin').post('/api/sut/create', aSut()),
    await other.as('alice').get('/api/sut'),
    await other.anyone.get('/api/sut'),
  ]
  for (const answer of refused) {
    t.deepEqual(refusalOf(answer), [503, 'unavailable'])
    t.regex(String(answer.headers['retry-after']), /^[1-9]\d*$/)
  }
  t.is((await other.anyone.get('/health/live')).status, 200)
  t.is((await other.anyone.get('/health/ready')).status, 503)
  // Who was verified before learns from the metrics that something is wrong, and nobody else.
  const metrics = await ask(other, ['admin'], '/metrics')
  t.deepEqual([metrics.status, metrics.text.includes('\nberth_ready 0\n')], [200, true])
  t.deepEqual(refusalOf(await ask(other, ['admin', NEW_PASSWORD], '/metrics')), [503, 'unavailable'])
  t.deepEqual(refusalOf(await other.anyone.get('/metrics')), [503, 'unavailable'])
  // Only that instance refuses.
  t.is(await roleAt(one, 'bob'), 'auditor')
  restore()
  await until('it answers', async () => (await roleAt(other, 'admin')) === 'administrator', IN_FORCE_WITHIN)
  await areInForce(other)
  t.is((await other.anyone.get('/health/ready')).status, 200)
  t.is((await ask(other, ['audrey', 'another guess'])).status, 401)
})
