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

/** BEHAVIOUR.md, Retrying: `Idempotency-Key` on any POST, wherever and however much later it comes again. */

const KEY: Headers = { 'Idempotency-Key': 'k' }
const LATER = { start_time: '2030-05-02T07:00:00Z', end_time: '2030-05-02T08:00:00Z' }

/** An answer without what is of its own request. */
const lasting = ({ status, headers, text }: Answer) => {
  const { date: _, 'x-request-id': __, ...others } = headers
  return { status, headers: others, text }
}

interface Stage {
  readonly service: Running
  readonly sut_id: string
  /** Alice's, from 06:00 to 06:15. */
  readonly reservation: string
}

/** Each POST, and what happens between it and its repetition so that to do it anew would be answered otherwise. */
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
  'setting tags': { ask: tag('1', KEY), meanwhile: tag('2') },
  retiring: {
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
  cancelling: { ask: cancel(KEY), meanwhile: async ({ service }) => service.clock.set('2030-05-02T09:00:00Z') },
}

const stageOf = async (t: ExecutionContext): Promise<Stage> => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const made = await reserved(service.as('alice'), aReservation(sut_id))
  return { service, sut_id, reservation: String(made.headers.location) }
}

for (const [what, { ask, meanwhile }] of Object.entries(POSTS)) {
  test(`${what}, sent again with its key, is answered byte for byte as at first, and records nothing`, async (t) => {
    const stage = await stageOf(t)
    const first = await ask(stage)
    t.true(first.status < 300, first.text)
    await meanwhile(stage)
    const recorded = await logOf(stage.service)
    t.deepEqual(lasting(await ask(stage)), lasting(first))
    t.deepEqual(await logOf(stage.service), recorded)
  })
}

const idOfSut = async (service: Running): Promise<string> => createSut(service.as('admin'))
/** A window from now on, for services that go by the machine's clock. */
const soon = (sut_id: string, duration = 900) => {
  const { user_id } = aReservation(sut_id)
  return { user_id, sut_id, start_in: 3600, duration }
}

test('a request sent again to another instance gets its first answer there, and another with its key is refused', async (t) => {
  const { services, data } = await startTwo(t)
  const [one, other] = services as readonly [Running, Running]
  const sut_id = await idOfSut(one)
  const asked: readonly ((service: Running) => Promise<Answer>)[] = [
    (service) => service.as('admin').post('/api/sut/create', aSut({ name: 'other' }), { 'Idempotency-Key': 'sut' }),
    (service) => reserve(service.as('alice'), soon(sut_id), { 'Idempotency-Key': 'reservation' }),
    (service) => service.as('admin').post(`/api/sut/${sut_id}/update`, { os: 'x' }, { 'Idempotency-Key': 'update' }),
  ]
  for (const ask of asked) {
    const first = await ask(one)
    t.true(first.status < 300, first.text)
    const recorded = await logOf({ data })
    t.deepEqual(lasting(await ask(other)), lasting(first))
    t.deepEqual(await logOf({ data }), recorded)
  }
  const reused = await reserve(other.as('alice'), soon(sut_id, 1800), { 'Idempotency-Key': 'reservation' })
  t.deepEqual(refusalOf(reused), [422, 'idempotency_key_reused', 'Idempotency-Key'])
  t.deepEqual(faultsOf(reused), [])
})

test('of ten with one key that come to two instances at once one is recorded, and all get its answer', async (t) => {
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

test('a key is known for 24 hours, whatever other keys come meanwhile', async (t) => {
  const service = await start(t, { now: NOW })
  const stage = { service, sut_id: await createSut(service.as('admin')), reservation: '' }
  const first = await update('linux', KEY)(stage)
  for (let hour = 0; hour < 24; hour++) {
    service.clock.set(new Date(Date.parse(NOW) + hour * 3_600_000).toISOString())
    for (const n of [1, 2]) await update(`${hour} ${n}`, { 'Idempotency-Key': `${hour} ${n}`.replace(' ', '-') })(stage)
  }
  service.clock.set('2030-05-03T05:58:11.399Z')
  await update('last', { 'Idempotency-Key': 'last' })(stage)
  t.deepEqual(lasting(await update('linux', KEY)(stage)), lasting(first))
  t.is((await update('other', KEY)(stage)).json.code, 'idempotency_key_reused')
})

test('what is stored of a request depends on a secret, and no hash of its body or key is in any file', async (t) => {
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
  // The log itself is no file where the store is another machine's.
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
