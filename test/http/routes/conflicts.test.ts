import test from 'ava'
import { idOf, start } from '../harness.ts'
import { faultsOf } from '../refusals/problems.ts'
import { aReservation, conflictOf, createSut, NOW, reserve, reserved } from '../requests.ts'
import '../documents/fit-answers.ts'

/** A window on the day of the tests, in UTC: `06:00-06:15`. */
const during = (window: string, offset = '+00:00'): Readonly<Record<string, string>> => {
  const [start = '', end = ''] = window.split('-')
  return { start_time: `2030-05-02T${start}:00${offset}`, end_time: `2030-05-02T${end}:00${offset}` }
}

test('an overlapping window is refused with the conflicting reservations and the next free window', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const alice = service.as('alice')
  const first = await reserved(alice, aReservation(sut_id, during('07:00-08:00', '+00:00')))
  const second = await reserved(alice, aReservation(sut_id, during('10:15-11:15', '+02:00')))
  const overlapping = aReservation(sut_id, { user_id: idOf('bob'), ...during('03:30-04:40', '-04:00') })
  const refused = await reserve(service.as('bob'), overlapping)
  t.deepEqual(faultsOf(refused), [])
  t.deepEqual([refused.status, refused.json.code], [409, 'reservation_conflict'])
  const conflicts = [first, second].map((made) => conflictOf(made, 'alice'))
  t.is(JSON.stringify(refused.json.conflicts), JSON.stringify(conflicts))
  t.is(refused.json.free_until, null)
  // 07:30 to 08:45 on the grid is 75 minutes. The first free 75 minutes begin at 09:15, shown in the start's offset.
  t.is(JSON.stringify(refused.json.next_available), JSON.stringify(during('05:15-06:30', '-04:00')))
  t.like(first.json, { user_id: idOf('alice'), ...during('07:00-08:00') })
})

test('the next free window in a refusal can be reserved', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  for (const window of ['06:00-06:30', '06:45-07:00', '07:30-08:00']) {
    await reserved(service.as('alice'), aReservation(sut_id, during(window)))
  }
  const refused = await reserve(service.as('alice'), aReservation(sut_id, during('06:15-06:45')))
  t.deepEqual(refused.json.next_available, during('07:00-07:30'))
  await reserved(service.as('alice'), aReservation(sut_id, { ...(refused.json.next_available as object) }))
})

test('what is free until the first conflict can be reserved', async (t) => {
  const service = await start(t, { now: NOW })
  const alice = service.as('alice')
  const sut_id = await createSut(service.as('admin'))
  await reserved(alice, aReservation(sut_id, during('06:45-07:00')))
  const wanted = { ...during('08:30-09:10', '+02:00') }
  const refused = await reserve(alice, aReservation(sut_id, wanted))
  t.is(refused.json.free_until, '2030-05-02T08:45:00+02:00')
  await reserved(alice, aReservation(sut_id, { ...wanted, end_time: refused.json.free_until }))
})

test('windows that share an edge do not conflict, on either side', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  for (const window of ['07:00-07:15', '07:15-07:30', '06:45-07:00']) {
    t.is((await reserve(service.as('alice'), aReservation(sut_id, during(window)))).status, 201)
  }
})

test('an overlap of one second is a conflict, even with one’s own reservation', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut_id, during('07:00-07:15')))
  const late = { start_time: '2030-05-02T07:14:59Z', end_time: '2030-05-02T07:30:00Z' }
  t.is((await reserve(service.as('alice'), aReservation(sut_id, late))).status, 409)
})

test('the same window of another SUT is free', async (t) => {
  const service = await start(t, { now: NOW })
  const [one, other] = [await createSut(service.as('admin')), await createSut(service.as('admin'))]
  await reserved(service.as('alice'), aReservation(one))
  t.is((await reserve(service.as('alice'), aReservation(other))).status, 201)
})

test('up to a hundred conflicts are listed by start, and next_available is null if nothing is free', async (t) => {
  const environment = { BERTH_HORIZON: 'P1DT2H', BERTH_WINDOW_MAX: 'P3D' }
  const service = await start(t, { now: '2030-05-02T00:00:00Z', environment })
  const sut_id = await createSut(service.as('admin'))
  const quarter = (n: number): string => new Date(Date.UTC(2030, 4, 2) + n * 900_000).toISOString()
  const book = (n: number) => reserved(service.as('alice'), aReservation(sut_id, ends(n, n + 1)))
  const ends = (from: number, to: number) => ({ start_time: quarter(from), end_time: quarter(to) })
  await Promise.all(Array.from({ length: 105 }, (_, n) => book(104 - n)))
  const refused = await reserve(service.as('alice'), aReservation(sut_id, ends(0, 105)))
  const conflicts = refused.json.conflicts as readonly { start_time: string }[]
  t.is(conflicts.length, 100)
  const starts = conflicts.map(({ start_time }) => Date.parse(start_time))
  t.deepEqual(
    starts,
    Array.from({ length: 100 }, (_, n) => Date.parse(quarter(n))),
  )
  // The horizon is 02:00 of the next day, and everything is taken until 02:15.
  t.is(refused.json.next_available, null)
  t.deepEqual(faultsOf(refused), [])
})

test('a refused window takes up no time', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut_id, during('07:00-07:15')))
  t.is((await reserve(service.as('alice'), aReservation(sut_id, during('07:00-08:00')))).status, 409)
  t.is((await reserve(service.as('alice'), aReservation(sut_id, during('07:15-08:00')))).status, 201)
})
