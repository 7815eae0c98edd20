import test from 'ava'
import { idOf, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

/** Shows behaviour/any-machine.md: shortening reservations. */

const LATER = '2030-05-02T06:05:00.250Z'
const during = (start: string, end: string) => ({
  start_time: `2030-05-02T${start}:00Z`,
  end_time: `2030-05-02T${end}:00Z`,
})

test('a running reservation is shortened by its holder, and what it frees can be reserved at once', async (t) => {
  const service = await start(t, { now: NOW })
  const [alice, bob] = [service.as('alice'), service.as('bob')]
  const sut_id = await createSut(service.as('admin'))
  const made = await reserved(alice, aReservation(sut_id, during('06:00', '08:00')))
  const path = String(made.headers.location)
  service.clock.set(LATER)
  const body = { end_time: '2030-05-02T08:20:00+02:00' }
  t.is((await bob.post(`${path}/shorten`, body)).json.code, 'not_your_reservation')
  const answer = await alice.post(`${path}/shorten`, body, { 'Idempotency-Key': 'once' })
  const end_time = '2030-05-02T08:30:00+02:00'
  t.is(answer.text, JSON.stringify({ ...made.json, updated_at: LATER, end_time }))
  t.is((await bob.get(path)).text, answer.text)
  const data = { _id: made.json._id, sut_id, user_id: idOf('alice'), end_time }
  t.deepEqual((await logOf(service)).slice(3), [{ type: 'ReservationShortened', data }])
  t.is((await reserve(bob, aReservation(sut_id, { ...during('06:30', '07:00'), user_id: idOf('bob') }))).status, 201)
  t.is((await alice.post(`${path}/shorten`, body, { 'Idempotency-Key': 'once' })).text, answer.text)
  t.deepEqual([(await alice.post(`${path}/shorten`, body)).status, (await logOf(service)).length], [200, 5])
})

test('an end that is not earlier or has passed, other bodies, and what is over are refused', async (t) => {
  const service = await start(t, { now: NOW })
  const alice = service.as('alice')
  const sut_id = await createSut(service.as('admin'))
  const made = await reserved(alice, aReservation(sut_id, during('06:00', '07:00')))
  const path = `${made.headers.location}/shorten`
  for (const [body, ...refusal] of [
    [{ end_time: '2030-05-02T07:00:01Z' }, 422, 'end_not_earlier', '#/end_time'],
    [{ end_time: NOW }, 422, 'end_not_later_than_now', '#/end_time'],
    [{ end_time: '2030-05-02T06:00:00Z' }, 422, 'window_empty', '#/end_time'],
    [{}, 422, 'invalid', '#/end_time'],
    [{ duration: 900 }, 422, 'invalid', '#/duration', '#/end_time'],
  ] as const) {
    const refused = await alice.post(path, body)
    t.deepEqual(faultsOf(refused), [])
    t.deepEqual(refusalOf(refused).toSorted(), refusal.toSorted(), JSON.stringify(body))
  }
  service.clock.set('2030-05-02T07:00:00Z')
  const late = await alice.post(path, { end_time: '2030-05-02T07:15:00Z' })
  t.is(late.json.code, 'reservation_over')
})

test('a shorter reservation counts what is left of it, also once the views are read again', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const sut_id = await createSut(admin)
  await admin.post(`/api/user/${idOf('alice')}/update`, { quota: { hours_per_week: 2 } })
  const made = await reserved(alice, aReservation(sut_id, during('06:00', '08:00')))
  const more = aReservation(sut_id, during('10:00', '11:00'))
  t.is((await reserve(alice, more)).json.code, 'quota_exceeded')
  await alice.post(`${made.headers.location}/shorten`, { end_time: '2030-05-02T07:15:00Z' })
  const used = async (client = alice): Promise<unknown> => (await client.get('/api/user/me')).json
  const before = await used()
  await service.stop()
  const again = await start(t, { now: NOW, data: service.data })
  t.deepEqual(await used(again.as('alice')), before)
  t.is((await reserve(again.as('alice'), more)).json.code, 'quota_exceeded')
  const fits = aReservation(sut_id, during('10:00', '10:45'))
  t.is((await reserve(again.as('alice'), fits)).status, 201)
})
