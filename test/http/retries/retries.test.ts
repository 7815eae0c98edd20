import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Answer, Headers } from '../client.ts'
import { type Running, start } from '../harness.ts'
import { startTwo } from '../races/two-services.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from '../requests.ts'
import { eventsOf, logOf } from '../store/log-rows.ts'

/** Shows behaviour/errors-and-retrying.md: `Idempotency-Key` on any POST, on any instance, up to a day later. */

const KEY: Headers = { 'Idempotency-Key': 'k' }
const LATER = { start_time: '2030-05-02T07:00:00Z', end_time: '2030-05-02T08:00:00Z' }

/** An answer without the values of its own request. */
const repeatable = ({ status, headers, text }: Answer) => {
  const { date: _, 'x-request-id': __, ...others } = headers
  return { status, headers: others, text }
}

interface Stage {
  readonly service: Running
  readonly sut_id: string
  /** Alice's, from 06:00 to 06:15. */
  readonly reservation: string
}

/** A POST, and a change before its repetition that would give a new request another answer. */
interface Post {
  readonly ask: (stage: Stage) => Promise<Answer>
  readonly meanwhile: (stage: Stage) => Promise<unknown>
}

const admin = ({ service }: Stage) => service.as('admin')
const update =
  (os: string, headers: Headers = {}) =>
  (stage: Stage) =>
    admin(stage).post(`/api/sut/${stage.sut_id}/update`, { os }, headers)
const tag =
  (a: string, headers: Headers = {}) =>
  (stage: Stage) =>
    admin(stage).post(`/api/sut/${stage.sut_id}/tags`, { a }, headers)
const extend =
  (duration: number, headers: Headers = {}) =>
  (stage: Stage) =>
    stage.service.as('alice').post(`${stage.reservation}/extend`, { duration }, headers)
const cancel =
  (headers: Headers = {}) =>
  ({ service, reservation }: Stage) =>
    service.as('alice').request('POST', `${reservation}/cancel`, headers)

const POSTS: Readonly<Record<string, Post>> = {
  'the creation of a SUT': {
    ask: (stage) => admin(stage).post('/api/sut/create', aSut(), KEY),
    meanwhile: update('changed'),
  },
  'an update': { ask: update('linux', KEY), meanwhile: update('bsd') },
  'a change of tags': { ask: tag('1', KEY), meanwhile: tag('2') },
  'a retirement': {
    ask: async (stage) => {
      await cancel()(stage)
      return admin(stage).request('POST', `/api/sut/${stage.sut_id}/retire`, KEY)
    },
    meanwhile: async ({ service }) => service.clock.set('2030-05-02T09:00:00Z'),
  },
  'a reservation': {
    ask: ({ service, sut_id }) => reserve(service.as('alice'), aReservation(sut_id, LATER), KEY),
    meanwhile: async ({ service }) => service.clock.set('2030-05-02T09:00:00Z'),
  },
  'an extension': { ask: extend(1800, KEY), meanwhile: extend(3600) },
  'a cancellation': { ask: cancel(KEY), meanwhile: async ({ service }) => service.clock.set('2030-05-02T09:00:00Z') },
}

const stageOf = async (t: ExecutionContext): Promise<Stage> => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const made = await reserved(service.as('alice'), aReservation(sut_id))
  return { service, sut_id, reservation: String(made.headers.location) }
}

for (const [what, { ask, meanwhile }] of Object.entries(POSTS)) {
  test(`${what} repeated with its key gets the first answer byte for byte and records nothing`, async (t) => {
    const stage = await stageOf(t)
    const first = await ask(stage)
    t.true(first.status < 300, first.text)
    await meanwhile(stage)
    const recorded = await logOf(stage.service)
    t.deepEqual(repeatable(await ask(stage)), repeatable(first))
    t.deepEqual(await logOf(stage.service), recorded)
  })
}

const idOfSut = async (service: Running): Promise<string> => createSut(service.as('admin'))
/** A window relative to now, for services with the machine's clock. */
const soon = (sut_id: string, duration = 900) => {
  const { user_id } = aReservation(sut_id)
  return { user_id, sut_id, start_in: 3600, duration }
}

test('a request repeated on another instance gets its first answer, and its key cannot be reused', async (t) => {
  const { services, data } = await startTwo(t)
  const [one, other] = services as readonly [Running, Running]
  const sut_id = await idOfSut(one)
  const requests: readonly ((service: Running) => Promise<Answer>)[] = [
    (service) => service.as('admin').post('/api/sut/create', aSut({ name: 'other' }), { 'Idempotency-Key': 'sut' }),
    (service) => reserve(service.as('alice'), soon(sut_id), { 'Idempotency-Key': 'reservation' }),
    (service) => service.as('admin').post(`/api/sut/${sut_id}/update`, { os: 'x' }, { 'Idempotency-Key': 'update' }),
  ]
  for (const ask of requests) {
    const first = await ask(one)
    t.true(first.status < 300, first.text)
    const recorded = await logOf({ data })
    t.deepEqual(repeatable(await ask(other)), repeatable(first))
    t.deepEqual(await logOf({ data }), recorded)
  }
  const reused = await reserve(other.as('alice'), soon(sut_id, 1800), { 'Idempotency-Key': 'reservation' })
  t.deepEqual(refusalOf(reused), [422, 'idempotency_key_reused', 'Idempotency-Key'])
  t.deepEqual(faultsOf(reused), [])
})

test('ten simultaneous requests with one key on two instances are recorded once and get the same answer', async (t) => {
  const { services, data } = await startTwo(t)
  const sut_id = await idOfSut(services[0] as Running)
  const before = (await logOf({ data })).length
  const five = <A>(ask: (service: Running) => Promise<A>) =>
    Promise.all(services.flatMap((service) => Array.from({ length: 5 }, () => ask(service))))
  const reservations = await five((service) => reserve(service.as('alice'), soon(sut_id), KEY))
  const suts = await five((service) => service.as('admin').post('/api/sut/create', aSut(), KEY))
  for (const answers of [reservations, suts]) {
    t.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
    t.is(answers[0]?.status, 201)
  }
  t.deepEqual(
    (await logOf({ data })).slice(before).map(({ type }) => type),
    ['ReservationCreated', 'ListenPortAssigned', 'SutCreated'],
  )
})

test('a key is known for 24 hours, whatever other keys are used meanwhile', async (t) => {
  const service = await start(t, { now: NOW })
  const stage = { service, sut_id: await createSut(service.as('admin')), reservation: '' }
  const first = await update('linux', KEY)(stage)
  for (let hour = 0; hour < 24; hour++) {
    service.clock.set(new Date(Date.parse(NOW) + hour * 3_600_000).toISOString())
    for (const n of [1, 2]) await update(`${hour} ${n}`, { 'Idempotency-Key': `${hour} ${n}`.replace(' ', '-') })(stage)
  }
  service.clock.set('2030-05-03T05:58:11.399Z')
  await update('last', { 'Idempotency-Key': 'last' })(stage)
  t.deepEqual(repeatable(await update('linux', KEY)(stage)), repeatable(first))
  t.is((await update('other', KEY)(stage)).json.code, 'idempotency_key_reused')
})

test('the stored request hash depends on a secret, and no plain hash of body or key is in any file', async (t) => {
  const body = aSut({ password: 'hunter2', user_name: 'lab' })
  const stored = async (secret: Buffer) => {
    const service = await start(t, { now: NOW, environment: { BERTH_VAULT_KEY: `k1:${secret.toString('base64')}` } })
    t.is((await service.as('admin').post('/api/sut/create', body, KEY)).status, 201)
    await service.stop()
    const events = await eventsOf(service)
    const keys = events.flatMap(({ metadata }) => metadata.key ?? [])
    return { keys: [...new Set(keys)], data: service.data, log: Buffer.from(JSON.stringify(events)) }
  }
  const [one, other] = [randomBytes(32), randomBytes(32)]
  const { keys, data, log } = await stored(one)
  t.is(keys.length, 1)
  t.deepEqual((await stored(one)).keys, keys, 'the same request under the same secret')
  t.notDeepEqual((await stored(other)).keys, keys)
  const parts = [JSON.stringify(body), 'k', 'hunter2', 'lab']
  // With a remote store the log is not a local file.
  const files = (await readdir(data)).map(async (file) => [file, await readFile(join(data, file))] as const)
  for (const [file, bytes] of [['the log', log] as const, ...(await Promise.all(files))]) {
    for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
      for (const part of parts) {
        const digest = createHash(algorithm).update(part).digest()
        for (const form of [digest, digest.toString('hex'), digest.toString('base64url').slice(0, 22)]) {
          t.false(bytes.includes(form), `${algorithm} of ${part} in ${file}`)
        }
      }
    }
  }
})
