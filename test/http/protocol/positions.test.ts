import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { EVENTS_OF_START, start } from '../harness.ts'
import { lab, said } from '../lab.ts'
import { startTwo } from '../races/two-services.ts'
import { aReservation, aSut, createSut, NOW, reserve } from '../requests.ts'
import { makeHold } from '../store/held-views.ts'

const positionOf = ({ headers }: Answer): number => {
  const position = String(headers['berth-position'])
  if (!/^\d{20}$/.test(position)) throw new TypeError(`${position} is not a position`)
  return Number(position)
}

const written = (position: number): string => String(position).padStart(20, '0')

test('every authenticated answer has a Berth-Position, errors included, and no other answer does', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  const path = `/api/sut/${sut_id}`
  await reserve(service.as('alice'), aReservation(sut_id))
  const answers: Readonly<Record<number, Answer>> = {
    200: await admin.get(path),
    201: await admin.post('/api/sut/create', aSut()),
    304: await admin.get(path, { 'If-None-Match': '*' }),
    400: await admin.request('POST', `${path}/update`, { 'Content-Type': 'application/json' }, '{'),
    403: await service.as('audrey').post('/api/sut/create', aSut()),
    404: await admin.get('/api/sut/58c38f5d444553252cce0000'),
    405: await admin.request('DELETE', path),
    406: await admin.get(path, { Accept: 'text/html' }),
    409: await reserve(service.as('alice'), aReservation(sut_id)),
    412: await admin.post(`${path}/update`, { os: 'x' }, { 'If-Match': '"7"' }),
    413: await admin.post(`${path}/update`, { description: 'a'.repeat(300_000) }),
    415: await admin.request('POST', `${path}/update`, { 'Content-Type': 'text/plain' }, '{}'),
    422: await admin.post(`${path}/update`, { port: 0 }),
  }
  for (const [status, answer] of Object.entries(answers)) {
    t.is(answer.status, Number(status))
    t.true(positionOf(answer) >= EVENTS_OF_START, status)
    t.is(answer.headers.date, new Date(NOW).toUTCString(), 'by the clock of the service')
  }
  t.true(positionOf(await admin.request('OPTIONS', path)) >= EVENTS_OF_START)
  for (const unknown of [await service.anyone.get(path), await service.anyone.get('/health/ready')]) {
    t.is(unknown.headers['berth-position'], undefined)
  }
})

test('a read with Berth-After of a reached position is answered at once, and a write ignores it', async (t) => {
  const { ask, sut } = await lab(t)
  const path = `/api/sut/${sut}`
  // Leading zeros may be omitted.
  for (const position of [written(0), written(1), '0', '1', '001'])
    t.is(said(await ask('alice', `GET ${path}`, undefined, { 'Berth-After': position })), '200', position)
  for (const position of [written(10_000), 'never'])
    t.is(said(await ask('admin', `POST ${path}/update`, {}, { 'Berth-After': position })), '200')
})

test('an invalid Berth-After is refused, and the error names it', async (t) => {
  const { ask, sut } = await lab(t)
  const ends = ['9007199254740992', `0${written(1)}`, `+${written(1).slice(1)}`, '9'.repeat(20)]
  for (const position of ['-1', '', 'latest', 'x', ...ends]) {
    const refused = await ask('alice', `GET /api/sut/${sut}`, undefined, { 'Berth-After': position })
    t.is(said(refused), '422 invalid Berth-After', position)
  }
})

/** Two instances on one log. The second can be made to lag. */
const twoInstances = async (t: ExecutionContext) => {
  const { change, ...lag } = makeHold()
  const { services } = await startTwo(t, { now: NOW }, change)
  t.teardown(lag.letGo)
  return { one: services[0], other: services[1], lag }
}

test('a read with Berth-After on another instance waits until it shows that position', async (t) => {
  const { one, other, lag } = await twoInstances(t)
  const sut_id = await createSut(one.as('admin'))
  const path = `/api/sut/${sut_id}`
  await other.as('alice').get(path)
  lag.hold()
  const updated = await one.as('admin').post(`${path}/update`, { os: 'linux' })
  const stale = await other.as('alice').get(path)
  t.deepEqual([stale.status, stale.json.os], [200, ''])
  t.true(positionOf(stale) < positionOf(updated))
  const after = { 'Berth-After': String(updated.headers['berth-position']) }
  const waiting = [path, '/api/sut', '/api/user/me'].map((read) => other.as('alice').get(read, after))
  // This read waits for nothing and was sent last, so the others have arrived when it is answered.
  t.is((await other.as('alice').get(path)).text, stale.text)
  lag.letGo()
  const [read, list] = await Promise.all(waiting)
  t.is(read?.text, updated.text)
  t.deepEqual(list?.json.suts, [updated.json])
  for (const answer of await Promise.all(waiting)) t.true(positionOf(answer) >= positionOf(updated))
})

test('an instance catches up with the store before it answers 404', async (t) => {
  const { one, other, lag } = await twoInstances(t)
  await createSut(one.as('admin'))
  lag.hold()
  const sut = await one.as('admin').post('/api/sut/create', aSut({ name: 'new' }))
  const reservation = await reserve(one.as('alice'), aReservation(String(sut.json._id)))
  const waiting = [sut, reservation].map(({ headers }) => other.as('alice').get(String(headers.location)))
  await other.as('alice').get('/api/user/me')
  lag.letGo()
  const answers = await Promise.all(waiting)
  t.deepEqual(
    answers.map(({ status, text }) => [status, text]),
    [sut, reservation].map(({ text }) => [200, text]),
  )
  t.is((await other.as('alice').get('/api/sut/58c38f5d444553252cce0000')).status, 404)
})

test('a position not reached within five seconds is 503 position_not_reached with Retry-After', async (t) => {
  const { ask, sut } = await lab(t)
  const began = performance.now()
  const refused = await ask('alice', `GET /api/sut/${sut}`, undefined, { 'Berth-After': written(EVENTS_OF_START + 2) })
  const milliseconds = performance.now() - began
  t.is(said(refused), '503 position_not_reached')
  t.true(milliseconds >= 4_990 && milliseconds < 10_000, `${milliseconds} ms`)
})
