import test, { type ExecutionContext } from 'ava'
import { idOf, start } from '../harness.ts'
import { asks, during, lab, said } from '../lab.ts'
import { aReservation, conflictOf, NOW, reserve } from '../requests.ts'

const LATER = '2030-05-02T06:05:00.250Z'

/** Alice's reservation from 06:00 to 07:00, with its end in another UTC offset. */
const stage = async (t: ExecutionContext) => {
  const service = await lab(t)
  const made = await service.book('alice', {
    start_time: '2030-05-02T06:00:00Z',
    end_time: '2030-05-02T09:00:00+02:00',
  })
  const path = String(made.headers.location)
  const change = (verb: string) => (body: object) => service.ask('alice', `POST ${path}/${verb}`, body)
  return { ...service, made, path, extend: change('extend'), shorten: change('shorten') }
}

/** Each from the end that the one before left. */
const ENDS: readonly (readonly [what: string, verb: 'extend' | 'shorten', body: object, end: string])[] = [
  ['the current end in another offset', 'extend', { end_time: '2030-05-02T08:00:00+01:00' }, '09:00:00+02:00'],
  ['a duration that gives the current end', 'extend', { duration: 2701 }, '09:00:00+02:00'],
  ['end_time a nanosecond later', 'extend', { end_time: '2030-05-02T07:00:00.000000001+00:00' }, '07:15:00+00:00'],
  ['end_time off the grid', 'extend', { end_time: '2030-05-02T03:16:00-04:00' }, '03:30:00-04:00'],
  ['duration off the grid', 'extend', { duration: 5401 }, '03:45:00-04:00'],
  ['a second beyond the end that stands', 'extend', { by: 1 }, '04:00:00-04:00'],
  ['seconds beyond the end that stands', 'extend', { by: 1800 }, '04:30:00-04:00'],
  ['an end in the offset -00:00', 'extend', { end_time: '2030-05-02T08:45:00-00:00' }, '08:45:00+00:00'],
  ['an earlier end off the grid', 'shorten', { end_time: '2030-05-02T08:20:00+02:00' }, '08:30:00+02:00'],
  ['the current end', 'shorten', { end_time: '2030-05-02T06:30:00Z' }, '08:30:00+02:00'],
]

test('a reservation gets another end, which is recorded unless it is the one it has', async (t) => {
  const lab = await stage(t)
  lab.clock.set(LATER)
  let before = lab.made.json
  for (const [what, verb, body, end] of ENDS) {
    const count = (await lab.recorded()).length
    const answer = await lab[verb](body)
    const end_time = `2030-05-02T${end}`
    const isSame = end_time === before.end_time
    t.is(answer.text, JSON.stringify({ ...before, ...(!isSame && { updated_at: LATER }), end_time }), what)
    t.is((await lab.ask('bob', `GET ${lab.path}`)).text, answer.text)
    const type = verb === 'extend' ? 'ReservationExtended' : 'ReservationShortened'
    const data = { _id: before._id, sut_id: lab.sut, user_id: idOf('alice'), end_time }
    t.deepEqual((await lab.recorded()).slice(count), isSame ? [] : [{ type, data }], what)
    before = answer.json
  }
  t.is((await lab.book('bob', '06:30-07:00')).status, 201, 'what it gave up is free')
})

const REFUSED: readonly (readonly [what: string, verb: string, refusal: string, body?: unknown])[] = [
  ['by and another end', 'extend', '422 window_ambiguous #/by', { by: 900, duration: 7200 }],
  ['by nothing', 'extend', '422 invalid #/by', { by: 0 }],
  ['more than the longest length', 'extend', '422 window_too_long #/by', { by: 8 * 86_400 }],
  ['no end', 'extend', '422 window_required #/end_time', {}],
  ['two ends', 'extend', '422 window_ambiguous #/duration', { end_time: '2030-05-02T08:00:00Z', duration: 7200 }],
  ['an earlier end', 'extend', '422 end_not_later #/end_time', { end_time: '2030-05-02T06:45:00Z' }],
  ['a shorter duration', 'extend', '422 end_not_later #/duration', { duration: 2700 }],
  ['a fractional duration', 'extend', '422 invalid #/duration', { duration: 7200.5 }],
  ['an end without an offset', 'extend', '422 invalid #/end_time', { end_time: '2030-05-02T08:00:00' }],
  ['another start', 'extend', '422 field_unknown #/start_time', { start_time: '2030-05-02T06:00:00Z' }],
  ['what the service assigns', 'extend', '422 field_read_only #/listen_port', { duration: 7200, listen_port: 1 }],
  ['a list', 'extend', '422 invalid #', []],
  ['no body', 'extend', '400 malformed_json'],
  ['a later end', 'shorten', '422 end_not_earlier #/end_time', { end_time: '2030-05-02T07:00:01Z' }],
  ['an end that has passed', 'shorten', '422 end_not_later_than_now #/end_time', { end_time: NOW }],
  ['an end at its start', 'shorten', '422 window_empty #/end_time', { end_time: '2030-05-02T06:00:00Z' }],
  ['no end', 'shorten', '422 invalid #/end_time', {}],
]

test('an end that is none, is on the wrong side or is sent in another form is refused', async (t) => {
  const lab = await stage(t)
  await asks(
    t,
    lab,
    REFUSED.map(([, verb, refusal, body]) => ['alice', `POST ${lab.path}/${verb}`, refusal, body]),
  )
  t.is((await lab.ask('alice', `GET ${lab.path}`)).text, lab.made.text)
})

test('a conflicting extension is 409 with conflicts and extendable_until in the requested offset', async (t) => {
  const { book, extend, made } = await stage(t)
  const [next, last] = [await book('bob', '07:30-08:00'), await book('bob', '08:30-09:00')]
  for (const [body, conflicting, extendable_until] of [
    [{ end_time: '2030-05-02T04:45:00-04:00' }, [next, last], '2030-05-02T03:30:00-04:00'],
    [{ duration: 5401 }, [next], '2030-05-02T09:30:00+02:00'],
  ] as const) {
    const refused = await extend(body)
    t.is(said(refused), '409 reservation_conflict')
    t.like(refused.json, { conflicts: conflicting.map((made) => conflictOf(made, 'bob')), extendable_until })
    t.false('next_available' in refused.json)
  }
  t.is(made.status, 201)
  // The offered end can be reserved, and nothing after it.
  t.is((await extend({ end_time: '2030-05-02T09:30:00+02:00' })).json.end_time, '2030-05-02T09:30:00+02:00')
  t.is((await extend({ duration: 6300 })).json.extendable_until, null)
})

test('another end of a past or released reservation is 409, and of a cancelled one 410', async (t) => {
  const { ask, book, clock, path } = await stage(t)
  const [cancelled, released] = [await book('alice', '08:00-09:00'), await book('alice', '07:00-08:00')].map(
    ({ headers }) => String(headers.location),
  )
  await ask('alice', `POST ${cancelled}/cancel`)
  clock.set('2030-05-02T07:00:00Z')
  await ask('alice', `POST ${released}/cancel`)
  await asks(t, { ask }, [
    ['alice', `POST ${cancelled}/extend`, '410 reservation_cancelled', { duration: 7200 }],
    ['alice', `POST ${path}/extend`, '409 reservation_over', { duration: 7200 }],
    ['alice', `POST ${path}/extend`, '409 reservation_over', { duration: 3600 }],
    ['alice', `POST ${released}/extend`, '409 reservation_over', { duration: 7200 }],
    ['alice', `POST ${path}/shorten`, '409 reservation_over', { end_time: '2030-05-02T07:15:00Z' }],
    ['bob', `POST ${path}/shorten`, '403 not_your_reservation', { end_time: '2030-05-02T07:15:00Z' }],
  ])
})

test('a shorter reservation counts what is left of it, also once the views are read again', async (t) => {
  const { as, ask, book, data, stop, sut } = await lab(t)
  await ask('admin', `POST /api/user/${idOf('alice')}/update`, { quota: { hours_per_week: 2 } })
  const made = await book('alice', '06:00-08:00')
  t.is(said(await book('alice', '10:00-11:00')), '403 quota_exceeded')
  await ask('alice', `POST ${made.headers.location}/shorten`, { end_time: '2030-05-02T07:15:00Z' })
  const used = async (client = as('alice')) => (await client.get('/api/user/me?include=used')).json.used
  const before = await used()
  await stop()
  const again = (await start(t, { now: NOW, data })).as('alice')
  t.deepEqual(await used(again), before)
  t.is((await reserve(again, aReservation(sut, during('10:00-11:00')))).json.code, 'quota_exceeded')
  t.is((await reserve(again, aReservation(sut, during('10:00-10:45')))).status, 201)
})
