/** `Idempotency-Key` on any POST, on any instance, up to a day later. */

import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type Answer, basic, type Headers } from '../client.ts'
import { type Running, start } from '../harness.ts'
import { during, type Lab, lab, said } from '../lab.ts'
import { startTwo } from '../races/two-services.ts'
import { aReservation, aSut, createSut, NOW, reserve } from '../requests.ts'
import { exchange } from '../server/raw-http.ts'
import { eventsOf, logOf } from '../store/log-rows.ts'

const keyed = (key: string): Headers => ({ 'Idempotency-Key': key })
const KEY = keyed('k')
const REUSED = '422 idempotency_key_reused Idempotency-Key'

/** An answer without the values of its own request. */
const repeatable = ({ status, headers, text }: Answer) => {
  const { date: _, 'x-request-id': __, ...others } = headers
  return { status, headers: others, text }
}

interface Stage extends Lab {
  /** Alice's, from 06:00 to 06:15. */
  readonly reservation: string
}

const stage = async (t: ExecutionContext): Promise<Stage> => {
  const service = await lab(t)
  return { ...service, reservation: String((await service.book('alice')).headers.location) }
}

type Ask = (stage: Stage) => Promise<unknown>

const update =
  (body: object, headers: Headers = {}) =>
  ({ ask, sut }: Lab) =>
    ask('admin', `POST /api/sut/${sut}/update`, body, headers)
const tag =
  (a: string, headers: Headers = {}) =>
  ({ ask, sut }: Lab) =>
    ask('admin', `POST /api/sut/${sut}/tags`, { a }, headers)
const extend =
  (duration: number, headers: Headers = {}) =>
  ({ ask, reservation }: Stage) =>
    ask('alice', `POST ${reservation}/extend`, { duration }, headers)
const cancel =
  (headers: Headers = {}) =>
  ({ ask, reservation }: Stage) =>
    ask('alice', `POST ${reservation}/cancel`, undefined, headers)
const nextDay: Ask = async ({ clock }) => clock.set('2030-05-02T09:00:00Z')

/** Each POST, and a change before its repetition that would give a new request another answer. */
const POSTS: Readonly<Record<string, readonly [ask: (stage: Stage) => Promise<Answer>, meanwhile: Ask, before?: Ask]>> =
  {
    'the creation of a SUT': [
      ({ ask }) => ask('admin', 'POST /api/sut/create', aSut({ password: 'secret' }), KEY),
      update({ is_active: false }),
    ],
    'an update': [update({ os: 'linux', password: 'secret' }, KEY), update({ os: 'bsd' })],
    'a change of tags': [tag('1', KEY), tag('2')],
    'a retirement': [({ ask, sut }) => ask('admin', `POST /api/sut/${sut}/retire`, undefined, KEY), nextDay, cancel()],
    'a reservation': [({ book }) => book('alice', '07:00-08:00', {}, KEY), nextDay],
    'an extension': [extend(1800, KEY), extend(3600)],
    'a cancellation': [cancel(KEY), nextDay],
  }

for (const [what, [ask, meanwhile, before]] of Object.entries(POSTS)) {
  test(`${what} repeated with its key gets the first answer byte for byte and records nothing`, async (t) => {
    const lab = await stage(t)
    await before?.(lab)
    const first = await ask(lab)
    t.true(first.status < 300, first.text)
    await meanwhile(lab)
    const recorded = await lab.recorded()
    t.deepEqual(repeatable(await ask(lab)), repeatable(first))
    t.deepEqual(await lab.recorded(), recorded)
  })
}

test('a key reused for another request is refused, for another SUT and after a restart too', async (t) => {
  const service = await lab(t)
  const { data, sut } = service
  const other = await createSut(service.as('admin'))
  const first = await service.book('admin', {}, {}, KEY)
  const reuse = async ({ as }: Pick<Running, 'as'>): Promise<void> => {
    const admin = as('admin')
    const own = { ...aReservation(sut), user_id: first.json.user_id }
    const again = (body: object) => reserve(admin, { ...own, ...body }, KEY)
    t.is(said(await again(during('07:00-08:00'))), REUSED)
    t.is(said(await again({ sut_id: other })), REUSED)
    t.is(said(await admin.post('/api/sut/create', aSut(), KEY)), REUSED)
    t.is(said(await admin.post(`/api/sut/${sut}/update`, { name: 'a' }, KEY)), REUSED)
    t.deepEqual(repeatable(await again({})), repeatable(first))
  }
  await reuse(service)
  const recorded = await service.recorded()
  await service.stop()
  // One that receives no key meanwhile.
  await (await start(t, { now: NOW, data })).stop()
  const restarted = await start(t, { now: NOW, data })
  await reuse(restarted)
  await restarted.stop()
  // The documents rebuilt from the log still know the key.
  await rm(join(data, 'views.db'))
  await reuse(await start(t, { now: NOW, data }))
  t.deepEqual(await service.recorded(), recorded)
})

test('a request that was refused or changed nothing does not use up its key, nor does that of another user', async (t) => {
  const { book, sut, ...service } = await lab(t, {}, { is_active: false })
  for (let n = 0; n < 2; n++) t.is(said(await book('alice', {}, {}, KEY)), '409 sut_inactive')
  t.is((await update({ is_active: false }, KEY)({ book, sut, ...service })).headers.etag, '"0"')
  t.is((await update({ is_active: true }, KEY)({ book, sut, ...service })).headers.etag, '"1"')
  const made = await book('alice', {}, {}, KEY)
  t.is(made.status, 201)
  t.is((await book('bob', '07:00-08:00', {}, KEY)).status, 201)
  t.deepEqual(repeatable(await book('alice', {}, {}, KEY)), repeatable(made))
  t.is(said(await book('alice')), '409 reservation_conflict', 'without a key it is a new one')
})

test('a malformed, empty or second key is refused, and the error names the header; a read ignores it', async (t) => {
  const { ask, port, recorded } = await lab(t)
  for (const key of ['', 'a b', 'é', 'x'.repeat(256), 'a\r\nIdempotency-Key: b']) {
    const body = Buffer.from(JSON.stringify(aSut()))
    const head = [
      'POST /api/sut/create HTTP/1.1',
      'Host: berth',
      `Authorization: ${basic('admin')}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `Idempotency-Key: ${key}`,
    ]
    const answer = await exchange(port, `${head.join('\r\n')}\r\n\r\n${body}`)
    t.is(answer && said(answer), '422 invalid Idempotency-Key', JSON.stringify(key))
  }
  t.deepEqual(await recorded(), [])
  t.is((await ask('admin', 'GET /api/user/me', undefined, keyed('a b'))).status, 200)
})

/** A window relative to now, for services with the machine's clock. */
const soon = (sut_id: string, duration = 900) => {
  const { user_id } = aReservation(sut_id)
  return { user_id, sut_id, start_in: 3600, duration }
}

test('a request repeated on another instance gets its first answer, and its key cannot be reused', async (t) => {
  const { services, data } = await startTwo(t)
  const [one, other] = services
  const sut_id = await createSut(one.as('admin'))
  const requests: readonly ((service: Running) => Promise<Answer>)[] = [
    (service) => service.as('admin').post('/api/sut/create', aSut({ name: 'other' }), keyed('sut')),
    (service) => reserve(service.as('alice'), soon(sut_id), keyed('reservation')),
    (service) => service.as('admin').post(`/api/sut/${sut_id}/update`, { os: 'x' }, keyed('update')),
  ]
  for (const ask of requests) {
    const first = await ask(one)
    t.true(first.status < 300, first.text)
    const recorded = await logOf({ data })
    t.deepEqual(repeatable(await ask(other)), repeatable(first))
    t.deepEqual(await logOf({ data }), recorded)
  }
  t.is(said(await reserve(other.as('alice'), soon(sut_id, 1800), keyed('reservation'))), REUSED)
})

test('ten simultaneous requests with one key on two instances are recorded once and get the same answer', async (t) => {
  const { services, data } = await startTwo(t)
  const sut_id = await createSut(services[0].as('admin'))
  const before = (await logOf({ data })).length
  const five = <A>(ask: (service: Running) => Promise<A>) =>
    Promise.all(services.flatMap((service) => Array.from({ length: 5 }, () => ask(service))))
  const reservations = await five((service) => reserve(service.as('alice'), soon(sut_id), KEY))
  const suts = await five((service) => service.as('admin').post('/api/sut/create', aSut(), KEY))
  for (const answers of [reservations, suts]) {
    t.is(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
    t.is(answers[0]?.status, 201)
  }
  t.deepEqual(
    (await logOf({ data })).slice(before).map(({ type }) => type),
    ['ReservationCreated', 'ListenPortAssigned', 'SutCreated'],
  )
})

test('a key is known for 24 hours, whatever other keys are used meanwhile', async (t) => {
  const service = await lab(t)
  const first = await update({ os: 'linux' }, KEY)(service)
  for (let hour = 0; hour < 24; hour++) {
    service.clock.set(new Date(Date.parse(NOW) + hour * 3_600_000).toISOString())
    for (const n of [1, 2]) await update({ os: `${hour} ${n}` }, keyed(`${hour}-${n}`))(service)
  }
  service.clock.set('2030-05-03T05:58:11.399Z')
  await update({ os: 'last' }, keyed('last'))(service)
  t.deepEqual(repeatable(await update({ os: 'linux' }, KEY)(service)), repeatable(first))
  t.is(said(await update({ os: 'other' }, KEY)(service)), REUSED)
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
