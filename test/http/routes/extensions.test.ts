import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, conflictOf, createSut, NOW, reserve, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

/** Shows behaviour/suts-and-reservations.md: extending reservations. */

const LATER = '2030-05-02T06:05:00.250Z'

const during = (start: string, end: string) => ({
  start_time: `2030-05-02T${start}:00Z`,
  end_time: `2030-05-02T${end}:00Z`,
})

/** Alice's reservation from 06:00 to 07:00, with its end in another UTC offset. */
const stage = async (t: ExecutionContext, environment: Readonly<Record<string, string>> = {}) => {
  const service = await start(t, { now: NOW, environment })
  const sut_id = await createSut(service.as('admin'))
  const ends = { start_time: '2030-05-02T06:00:00Z', end_time: '2030-05-02T09:00:00+02:00' }
  const made = await reserved(service.as('alice'), aReservation(sut_id, ends))
  const path = String(made.headers.location)
  const extend = (body: unknown): Promise<Answer> => service.as('alice').post(`${path}/extend`, body)
  return { service, sut_id, made, path, extend }
}

const EXTENDED: Readonly<Record<string, readonly [body: object, end_time: string]>> = {
  'end_time in another offset': [
    { end_time: '2030-05-02T08:00:00+01:00' },
    // 07:00 UTC is the current end, so nothing changes.
    '2030-05-02T09:00:00+02:00',
  ],
  'end_time on the grid': [{ end_time: '2030-05-02T08:00:00Z' }, '2030-05-02T08:00:00+00:00'],
  'end_time off the grid': [{ end_time: '2030-05-02T03:16:00-04:00' }, '2030-05-02T03:30:00-04:00'],
  'end_time a nanosecond later': [{ end_time: '2030-05-02T07:00:00.000000001+00:00' }, '2030-05-02T07:15:00+00:00'],
  'duration in seconds from its start': [{ duration: 7200 }, '2030-05-02T10:00:00+02:00'],
  'duration off the grid': [{ duration: 3601 }, '2030-05-02T09:15:00+02:00'],
  'seconds beyond the end that stands': [{ by: 1800 }, '2030-05-02T09:30:00+02:00'],
  'a second beyond the end that stands': [{ by: 1 }, '2030-05-02T09:15:00+02:00'],
  'duration that gives the current end': [{ duration: 2701 }, '2030-05-02T09:00:00+02:00'],
}

for (const [what, [body, end_time]] of Object.entries(EXTENDED)) {
  test(`a reservation is extended by ${what}`, async (t) => {
    const { service, sut_id, made, path, extend } = await stage(t)
    service.clock.set(LATER)
    const answer = await extend(body)
    const isSame = end_time === made.json.end_time
    t.is(answer.status, 200)
    t.is(answer.text, JSON.stringify({ ...made.json, ...(!isSame && { updated_at: LATER }), end_time }))
    t.is((await service.as('bob').get(path)).text, answer.text)
    const data = { _id: made.json._id, sut_id, user_id: idOf('alice'), end_time }
    t.deepEqual((await logOf(service)).slice(3), isSame ? [] : [{ type: 'ReservationExtended', data }])
  })
}

test('the added part of an extended window conflicts', async (t) => {
  const { service, sut_id, made, extend } = await stage(t)
  await extend({ duration: 7200 })
  const refused = await reserve(service.as('alice'), aReservation(sut_id, during('07:45', '08:15')))
  t.is(refused.json.code, 'reservation_conflict')
  t.like(refused.json.conflicts, [{ _id: made.json._id, end_time: '2030-05-02T10:00:00+02:00' }])
})

const REFUSED: Readonly<Record<string, readonly [body: unknown, ...refusal: unknown[]]>> = {
  'by and another end': [{ by: 900, duration: 7200 }, 422, 'window_ambiguous', '#/by'],
  'by nothing': [{ by: 0 }, 422, 'invalid', '#/by'],
  'by more than the longest length': [{ by: 8 * 86_400 }, 422, 'window_too_long', '#/by'],
  'no end': [{}, 422, 'window_required', '#/end_time'],
  'two ends': [{ end_time: '2030-05-02T08:00:00Z', duration: 7200 }, 422, 'window_ambiguous', '#/duration'],
  'an earlier end': [{ end_time: '2030-05-02T06:45:00Z' }, 422, 'end_not_later', '#/end_time'],
  'an end before its start': [{ end_time: '2030-05-02T05:00:00Z' }, 422, 'end_not_later', '#/end_time'],
  'a shorter duration': [{ duration: 2700 }, 422, 'end_not_later', '#/duration'],
  'a zero duration': [{ duration: 0 }, 422, 'invalid', '#/duration'],
  'a fractional duration': [{ duration: 7200.5 }, 422, 'invalid', '#/duration'],
  'an end without an offset': [{ end_time: '2030-05-02T08:00:00' }, 422, 'invalid', '#/end_time'],
  'another start': [{ start_time: '2030-05-02T06:00:00Z' }, 422, 'field_unknown', '#/start_time'],
  'a field that the service assigns': [{ duration: 7200, listen_port: 1 }, 422, 'field_read_only', '#/listen_port'],
  'a list': [[], 422, 'invalid', '#'],
}

for (const [what, [body, ...refusal]] of Object.entries(REFUSED)) {
  test(`an extension by ${what} is refused: ${refusal.join(' ')}`, async (t) => {
    const { service, path, made, extend } = await stage(t)
    const refused = await extend(body)
    t.deepEqual(refusalOf(refused), refusal)
    t.deepEqual(faultsOf(refused), [])
    t.is((await service.as('alice').get(path)).text, made.text)
  })
}

test('an extension needs a body', async (t) => {
  const { service, path } = await stage(t)
  t.deepEqual(refusalOf(await service.as('alice').request('POST', `${path}/extend`)), [400, 'malformed_json'])
})

test('the requested end must be within the maximum length from the start', async (t) => {
  const { extend } = await stage(t, { BERTH_WINDOW_MAX: 'PT2H' })
  for (const body of [{ duration: 7201 }, { end_time: '2030-05-02T08:00:00.000000001Z' }]) {
    const field = Object.keys(body)[0]
    t.deepEqual(refusalOf(await extend(body)), [422, 'window_too_long', `#/${field}`])
  }
  t.is((await extend({ duration: 7200 })).status, 200)
  t.is((await extend({ end_time: '2030-05-02T08:00:00Z' })).status, 200)
})

test('a conflicting extension is 409 with conflicts and extendable_until in the requested offset', async (t) => {
  const { service, sut_id, path, made, extend } = await stage(t)
  const bob = service.as('bob')
  const next = await reserved(bob, aReservation(sut_id, { user_id: idOf('bob'), ...during('07:30', '08:00') }))
  const last = await reserved(bob, aReservation(sut_id, { user_id: idOf('bob'), ...during('08:30', '09:00') }))
  const cases = [
    [{ end_time: '2030-05-02T04:45:00-04:00' }, [next, last], '2030-05-02T03:30:00-04:00'],
    [{ duration: 5401 }, [next], '2030-05-02T09:30:00+02:00'],
  ] as const
  for (const [body, conflicting, extendable_until] of cases) {
    const refused = await extend(body)
    t.deepEqual(refusalOf(refused), [409, 'reservation_conflict'])
    t.deepEqual(faultsOf(refused), [])
    t.deepEqual(
      refused.json.conflicts,
      conflicting.map((made) => conflictOf(made, 'bob')),
    )
    t.is(refused.json.extendable_until, extendable_until)
    t.false('next_available' in refused.json)
    t.is((await service.as('alice').get(path)).text, made.text)
  }
  // The offered end can be reserved, and nothing after it.
  const taken = await extend({ end_time: '2030-05-02T09:30:00+02:00' })
  t.deepEqual([taken.status, taken.json.end_time], [200, '2030-05-02T09:30:00+02:00'])
  t.is((await extend({ duration: 6300 })).json.extendable_until, null)
})

test('extending a past or released reservation is 409, and a cancelled one 410', async (t) => {
  const { service, sut_id, path, extend } = await stage(t)
  const alice = service.as('alice')
  const other = String((await reserved(alice, aReservation(sut_id, during('08:00', '09:00')))).headers.location)
  await alice.request('POST', `${other}/cancel`)
  const cancelled = await alice.post(`${other}/extend`, { duration: 7200 })
  t.deepEqual(refusalOf(cancelled), [410, 'reservation_cancelled'])
  t.deepEqual(faultsOf(cancelled), [])
  service.clock.set('2030-05-02T07:00:00Z')
  t.deepEqual(refusalOf(await extend({ duration: 7200 })), [409, 'reservation_over'])
  t.deepEqual(refusalOf(await extend({ duration: 3600 })), [409, 'reservation_over'], 'not even to its own end')
  const running = await reserved(alice, aReservation(sut_id, during('07:00', '08:00')))
  await alice.request('POST', `${running.headers.location}/cancel`)
  const released = await alice.post(`${running.headers.location}/extend`, { duration: 7200 })
  t.deepEqual(refusalOf(released), [409, 'reservation_over'])
  t.is((await alice.get(path)).status, 200)
})

test('an extension to the current end is 200 with the reservation and records nothing', async (t) => {
  const { service, made, extend } = await stage(t)
  const recorded = await logOf(service)
  service.clock.set(LATER)
  for (const body of [
    { end_time: '2030-05-02T09:00:00+02:00' },
    { end_time: '2030-05-02T06:46:00Z' },
    { duration: 3600 },
  ]) {
    const answer = await extend(body)
    t.deepEqual([answer.status, answer.text], [200, made.text])
  }
  t.deepEqual(await logOf(service), recorded)
})

test('two simultaneous extensions to the same end get the same answer, and one is recorded', async (t) => {
  const { service, extend } = await stage(t)
  const answers = await Promise.all([extend({ duration: 7200 }), extend({ duration: 7200 })])
  for (const { status, text } of answers) t.deepEqual([status, text], [200, answers[0]?.text])
  t.is((await logOf(service)).length, 4)
})

test('one of a simultaneous extension and reservation of the same quarter-hour succeeds', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { service, sut_id, extend } = await stage(t)
    const bob = { user_id: idOf('bob'), ...during('07:00', '07:15') }
    const [extended, made] = await Promise.all([
      extend({ duration: 4500 }),
      reserve(service.as('bob'), aReservation(sut_id, bob)),
    ])
    const statuses = [extended.status, made.status]
    t.true(statuses.includes(409) && (statuses.includes(200) || statuses.includes(201)), statuses.join())
    t.is((await logOf(service)).length, 4)
  }
})

test('cancelling or extending an unknown reservation is 404', async (t) => {
  const { service, sut_id } = await stage(t)
  for (const id of ['58c38f5d444553252cce0000', sut_id, 'a%20b', 'x'.repeat(129)]) {
    const answers = [
      await service.as('alice').request('POST', `/api/sut_reservation/${id}/cancel`),
      await service.as('alice').post(`/api/sut_reservation/${id}/extend`, { duration: 60 }),
    ]
    for (const answer of answers) t.deepEqual(refusalOf(answer), [404, 'reservation_not_found'])
  }
})
