import test, { type ExecutionContext } from 'ava'
import type { Answer, Client } from '../client.ts'
import { idOf, type Running, start } from '../harness.ts'
import { startTwo, type TwoServices } from '../races/two-services.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'

/** Shows behaviour/suts-and-reservations.md: cancelling and releasing. Extending has its own file. */

/** Alice's reservation from 06:00 to 07:00 in other UTC offsets, made at 05:58:11.400. */
const stage = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const ends = { start_time: '2030-05-02T08:00:00+02:00', end_time: '2030-05-02T02:00:00-05:00' }
  const made = await reserved(service.as('alice'), aReservation(sut_id, ends))
  return { service, sut_id, made, path: String(made.headers.location) }
}

const cancel = (client: Client, path: string): Promise<Answer> => client.request('POST', `${path}/cancel`)

const recordedLast = async (service: Running) => (await logOf(service)).slice(2).at(-1)

const during = (start: string, end: string) => ({
  start_time: `2030-05-02T${start}:00Z`,
  end_time: `2030-05-02T${end}:00Z`,
})

test('a reservation not yet begun is cancelled, and the answer differs only in updated_at', async (t) => {
  const { service, sut_id, made, path } = await stage(t)
  service.clock.set('2030-05-02T05:59:59.999Z')
  const cancelled = await cancel(service.as('alice'), path)
  t.is(cancelled.status, 200)
  t.is(cancelled.text, JSON.stringify({ ...made.json, updated_at: '2030-05-02T05:59:59.999Z' }))
  t.deepEqual([cancelled.headers.etag, cancelled.headers.location], [undefined, undefined])
  const data = { _id: made.json._id, sut_id, user_id: idOf('alice') }
  t.deepEqual(await recordedLast(service), { type: 'ReservationCancelled', data })
})

test('a cancelled reservation frees its window, is 410 reservation_cancelled and is not listed', async (t) => {
  const { service, sut_id, path } = await stage(t)
  await cancel(service.as('alice'), path)
  for (const name of ['admin', 'alice', 'bob', 'audrey']) {
    const read = await service.as(name).get(path)
    t.deepEqual(refusalOf(read), [410, 'reservation_cancelled'])
    t.deepEqual(faultsOf(read), [])
    t.is((await service.as(name).get('/api/sut_reservation')).json.count, 0)
  }
  t.is((await reserve(service.as('bob'), aReservation(sut_id, { user_id: idOf('bob') }))).status, 201)
})

test('a cancellation accepts no body or {}, and nothing else', async (t) => {
  const { service, sut_id, path } = await stage(t)
  const alice = service.as('alice')
  t.deepEqual(refusalOf(await alice.post(`${path}/cancel`, { why: 'ill' })), [422, 'field_unknown', '#/why'])
  t.deepEqual(refusalOf(await alice.post(`${path}/cancel`, [])), [422, 'invalid', '#'])
  t.is((await alice.get(path)).status, 200)
  t.is((await alice.post(`${path}/cancel`, {})).status, 200)
  const other = await reserved(alice, aReservation(sut_id))
  t.is((await cancel(alice, String(other.headers.location))).status, 200)
})

const RELEASES: readonly (readonly [now: string, end: string])[] = [
  ['06:20:30.001', '2030-05-02T01:20:31-05:00'],
  ['06:20:30.000', '2030-05-02T01:20:30-05:00'],
  ['06:59:59.999', '2030-05-02T02:00:00-05:00'],
  // A window is never empty.
  ['06:00:00.000', '2030-05-02T01:00:01-05:00'],
]

for (const [now, end_time] of RELEASES) {
  test(`a reservation released at ${now} ends at the next whole second, in its old offset`, async (t) => {
    const { service, sut_id, made, path } = await stage(t)
    service.clock.set(`2030-05-02T${now}Z`)
    const released = await cancel(service.as('alice'), path)
    t.is(released.status, 200)
    t.is(released.text, JSON.stringify({ ...made.json, updated_at: `2030-05-02T${now}Z`, end_time }))
    const data = { _id: made.json._id, sut_id, user_id: idOf('alice'), end_time }
    t.deepEqual(await recordedLast(service), { type: 'ReservationReleased', data })
    // It stays readable and listed, like any past reservation.
    t.is((await service.as('bob').get(path)).text, released.text)
    const { count, sut_reservations } = (await service.as('bob').get('/api/sut_reservation')).json
    t.deepEqual([count, sut_reservations], [1, [released.json]])
    t.is((await service.as('bob').get('/api/sut_reservation?current=true')).json.count, 0)
  })
}

test('the rest of a released window is free at once, the current quarter-hour included', async (t) => {
  const { service, sut_id, path } = await stage(t)
  service.clock.set('2030-05-02T06:20:30.500Z')
  const bob = aReservation(sut_id, { user_id: idOf('bob'), ...during('06:15', '07:00') })
  t.is((await reserve(service.as('bob'), bob)).json.code, 'reservation_conflict')
  await cancel(service.as('alice'), path)
  const made = await reserve(service.as('bob'), bob)
  t.is(made.status, 201)
  t.is(made.json.start_time, '2030-05-02T06:20:31+00:00')
})

test('cancelling a past reservation is 409 reservation_over, from its end on', async (t) => {
  const { service, made, path } = await stage(t)
  for (const now of ['2030-05-02T07:00:00.000Z', '2030-05-03T00:00:00Z']) {
    service.clock.set(now)
    for (const name of ['alice', 'admin']) {
      const refused = await cancel(service.as(name), path)
      t.deepEqual(refusalOf(refused), [409, 'reservation_over'])
      t.deepEqual(faultsOf(refused), [])
    }
  }
  t.is((await service.as('alice').get(path)).text, made.text)
})

test('a second cancellation is 200 with the reservation and records nothing', async (t) => {
  const { service, path } = await stage(t)
  const first = await cancel(service.as('alice'), path)
  const recorded = await logOf(service)
  // Also during and after its former window.
  for (const now of ['2030-05-02T05:59:00Z', '2030-05-02T06:30:00Z', '2030-05-02T09:00:00Z']) {
    service.clock.set(now)
    const again = await cancel(service.as('admin'), path)
    t.deepEqual([again.status, again.text], [200, first.text])
  }
  t.deepEqual(await logOf(service), recorded)
})

test('a second release is 200 with the reservation and records nothing', async (t) => {
  const { service, path } = await stage(t)
  service.clock.set('2030-05-02T06:20:30.500Z')
  const first = await cancel(service.as('alice'), path)
  const recorded = await logOf(service)
  for (const now of ['2030-05-02T06:20:30.700Z', '2030-05-02T06:30:00Z', '2030-05-02T09:00:00Z']) {
    service.clock.set(now)
    const again = await cancel(service.as('alice'), path)
    t.deepEqual([again.status, again.text], [200, first.text])
  }
  t.deepEqual(await logOf(service), recorded)
})

for (const [what, now, event] of [
  ['future', '2030-05-02T05:59:00Z', 'ReservationCancelled'],
  ['current', '2030-05-02T06:20:30.500Z', 'ReservationReleased'],
] as const) {
  test(`two simultaneous cancellations of a ${what} reservation get the same 200, and one is recorded`, async (t) => {
    const { service, path } = await stage(t)
    service.clock.set(now)
    const answers = await Promise.all(['alice', 'admin'].map((name) => cancel(service.as(name), path)))
    for (const { status, text } of answers) t.deepEqual([status, text], [200, answers[0]?.text])
    t.deepEqual(
      (await logOf(service)).slice(3).map(({ type }) => type),
      [event],
    )
  })
}

const ROUNDS = 10

/** In each round two instances on one log cancel the same reservation at once. Returns the answers. */
const cancelTwice = async ({ services }: TwoServices): Promise<readonly (readonly Answer[])[]> => {
  const [one, other] = services as readonly [Running, Running]
  const sut_id = await createSut(one.as('admin'))
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    // Even rounds cancel a current reservation, odd ones a future one.
    const window = { user_id: idOf('alice'), sut_id, start_in: (round % 2) * 3600, duration: 60 }
    const path = String((await reserved(one.as('alice'), window)).headers.location)
    await other.as('alice').get(path)
    rounds.push(await Promise.all([cancel(one.as('alice'), path), cancel(other.as('alice'), path)]))
  }
  return rounds
}

const endsIn = async ({ data }: TwoServices): Promise<number> =>
  (await logOf({ data })).filter(({ type }) => /Cancelled|Released/.test(type)).length

test('two simultaneous cancellations on two instances get the same 200, and one is recorded', async (t) => {
  const two = await startTwo(t)
  for (const answers of await cancelTwice(two)) {
    for (const { status, text } of answers) t.deepEqual([status, text], [200, answers[0]?.text])
  }
  t.is(await endsIn(two), ROUNDS)
})
