import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../../client.ts'
import { idOf } from '../../harness.ts'
import { asks, type Lab, lab, said } from '../../lab.ts'
import { aReservation, aSeries, createSut, NOW, reserved } from '../../requests.ts'

const CREATE = '/api/sut_reservation_series/create'

type Body = Readonly<Record<string, unknown>>

interface Shown extends Readonly<Record<string, unknown>> {
  readonly _id: string
  readonly start_time: string
  readonly state?: string
}
const reservationsOf = ({ json }: Answer): readonly Shown[] => json.sut_reservations as readonly Shown[]

const stage = async (t: ExecutionContext) => {
  const service = await lab(t)
  const create = (more: Body = {}, who = 'alice', headers = {}) =>
    service.ask(who, `POST ${CREATE}`, aSeries(service.sut, more), headers)
  return { service, sut_id: service.sut, create }
}

/** How often the service has appended to its log. */
const appendsOf = async ({ as }: Lab): Promise<number> => {
  const { text } = await as('audrey').get('/metrics')
  return Number(/^berth_appends_total\{outcome="done"\} (\d+)$/m.exec(text)?.[1])
}

test('a series is made and cancelled in one append each, and read back', async (t) => {
  const { service, sut_id, create } = await stage(t)
  const before = await appendsOf(service)
  const made = await create()
  t.is(await appendsOf(service), before + 1)
  t.is(made.status, 201)
  const { series_id } = made.json
  t.is(made.headers.location, `/api/sut_reservation_series/${series_id}`)
  const shown = reservationsOf(made)
  t.deepEqual(
    shown.map(({ start_time }) => start_time),
    ['02', '09', '16'].map((day) => `2030-05-${day}T10:00:00+02:00`),
  )
  for (const each of shown) {
    t.deepEqual((await service.as('bob').get(`/api/sut_reservation/${each._id}`)).json, each)
  }
  const fields = { sut_id, user_id: idOf('alice'), rrule: 'FREQ=WEEKLY;COUNT=3', time_zone: 'Europe/Berlin', count: 3 }
  const window = { start_time: '2030-05-02T10:00:00+02:00', end_time: '2030-05-02T12:00:00+02:00' }
  const series = { _id: series_id, created_at: NOW, ...fields, ...window }
  const read = await service.as('bob').get(String(made.headers.location))
  t.deepEqual(read.json, { ...series, sut_reservations: shown.map((each) => ({ ...each, state: 'ahead' })) })
  t.deepEqual(
    (await service.recorded()).map(({ type }) => type),
    ['ReservationSeriesCreated', ...shown.map(() => 'ReservationCreated')],
  )
  t.deepEqual((await service.as('bob').get('/api/sut_reservation_series')).json, {
    ...{ limit: 100, offset: 0, count: 1 },
    sut_reservation_series: [series],
  })
  await service.ask('alice', `POST ${made.headers.location}/cancel`)
  t.is((await service.recorded()).filter(({ type }) => type === 'ReservationCancelled').length, 3)
  t.is(await appendsOf(service), before + 2)
})

test('include=series adds the series of a reservation, or null', async (t) => {
  const { service, sut_id, create } = await stage(t)
  const made = await create()
  const [first] = reservationsOf(made)
  const alone = await reserved(service.as('alice'), aReservation(sut_id))
  const audrey = service.as('audrey')
  const listed = async (query: string) => {
    const { json } = await audrey.get(`/api/sut_reservation?include=series${query}`)
    return (json.sut_reservations as readonly Shown[]).map(({ series_id }) => series_id)
  }
  const { series_id } = made.json
  const expected = [null, series_id, series_id, series_id]
  t.deepEqual(await listed(''), expected)
  t.deepEqual(await listed(`&as_of=${alone.headers['berth-position']}`), expected)
  const one = (of: Shown['_id'] | undefined) => audrey.get(`/api/sut_reservation/${of}?include=series`)
  t.is((await one(first?._id)).json.series_id, series_id)
  t.is((await one(String(alone.json._id))).json.series_id, null)
  const csv = await audrey.get('/api/sut_reservation?include=series', { Accept: 'text/csv' })
  t.deepEqual(
    csv.text
      .split('\r\n')
      .slice(0, 3)
      .map((line) => line.split(',').at(-1)),
    ['series_id', '', series_id],
  )
})

test('series are listed by SUT and by user, newest first', async (t) => {
  const { service, sut_id, create } = await stage(t)
  const other = await createSut(service.as('admin'))
  const one = (await create()).json.series_id
  const two = (await create({ sut_id: other }, 'bob')).json.series_id
  const three = (await create({ sut_id: other, start_time: '2030-05-03T10:00:00Z', end_time: '2030-05-03T11:00:00Z' }))
    .json.series_id
  const listed = async (query: string) => {
    const { json } = await service.as('audrey').get(`/api/sut_reservation_series${query}`)
    return [json.count, (json.sut_reservation_series as readonly Shown[]).map(({ _id }) => _id)]
  }
  t.deepEqual(await listed(''), [3, [three, two, one]])
  t.deepEqual(await listed(`?sut_id=${sut_id}`), [1, [one]])
  t.deepEqual(await listed(`?sut_id=${other}&user_id=${idOf('alice')}`), [1, [three]])
  t.deepEqual(await listed(`?before=${three}&limit=1`), [3, [two]])
  t.deepEqual(await listed('?offset=2'), [3, [one]])
  t.deepEqual(await listed('?user_id=nobody'), [0, []])
})

test('a retry is answered as before, whatever has happened since', async (t) => {
  const { service, create } = await stage(t)
  const key = { 'Idempotency-Key': 'every-thursday' }
  const made = await create({}, 'alice', key)
  const path = String(made.headers.location)
  const cancel = () => service.as('alice').post(`${path}/cancel`, {}, { 'Idempotency-Key': 'no-more' })
  const cancelled = await cancel()
  t.is(reservationsOf(cancelled).length, 3)
  service.clock.set('2030-05-03T08:30:00.000Z')
  t.deepEqual(
    [await create({}, 'alice', key), await cancel()].map(({ status, text }) => [status, text]),
    [
      [201, made.text],
      [200, cancelled.text],
    ],
  )
  t.is(said(await create({ rrule: 'FREQ=DAILY;COUNT=2' }, 'alice', key)), '422 idempotency_key_reused Idempotency-Key')
})

test('fields of a series that are wrong are refused by name', async (t) => {
  const { service, create } = await stage(t)
  const nothing = '58c38f5d444553252cce0000'
  for (const [more, refusal] of [
    [{ rrule: 'FREQ=HOURLY' }, '422 invalid #/rrule'],
    [{ rrule: 5, time_zone: 'Mars/Olympus' }, '422 invalid #/rrule #/time_zone'],
    ...['+02:00', 'Z', 'T00Z', '', 'Europe/berlin x'].map(
      (time_zone) => [{ time_zone }, '422 invalid #/time_zone'] as const,
    ),
    [{ count: 3 }, '422 field_read_only #/count'],
    [{ duration: 900 }, '422 field_unknown #/duration'],
    [{ rrule: 'FREQ=WEEKLY;BYDAY=MO' }, '422 series_start_mismatch #/start_time'],
    [{ user_id: idOf('bob') }, '403 not_your_reservation'],
    [{ sut_id: nothing }, '404 sut_not_found #/sut_id'],
  ] as const)
    t.is(said(await create(more)), refusal)
  await asks(t, service, [
    ['alice', `GET /api/sut_reservation_series/${nothing}`, '404 series_not_found'],
    ['alice', `POST /api/sut_reservation_series/${nothing}/cancel`, '404 series_not_found', {}],
  ])
  t.is((await create({ time_zone: 'europe/berlin' })).status, 201, 'in any case')
})

test('a removed user leaves its series behind, with its reservations cancelled', async (t) => {
  const { service, create } = await stage(t)
  const { headers } = await create({}, 'bob')
  await service.as('admin').post(`/api/user/${idOf('bob')}/remove`, { reservations: 'cancel' })
  const read = await service.as('alice').get(String(headers.location))
  t.deepEqual(
    reservationsOf(read).map(({ state }) => state),
    ['cancelled', 'cancelled', 'cancelled'],
  )
})
