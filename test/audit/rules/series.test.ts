import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import { bob, reservationCreated, reservationSeriesCreated } from '../../domain/builders.ts'
import { type Entry, findingsIn, finds, idAt, MORNING, of, onPort, updated } from '../verify/morning.ts'

const AT = '06:20'
const SERIES = idAt(AT, 10)

const series: Entry = [AT, of(reservationSeriesCreated(SERIES, '10:07', '11:00'))]

const member = (n: number, start: string, end: string, more: object = {}): Event => {
  const { type, data } = onPort(reservationCreated(idAt(AT, 10 + n), start, end))
  return { type, data: { ...data, series_id: SERIES, ...more } } as Event
}
const FIRST: Entry = [AT, member(1, '10:00', '11:00')]
const SECOND: Entry = [AT, member(2, '2030-05-09T10:00:00+00:00', '2030-05-09T11:00:00+00:00')]

test('a series with its reservations has no findings', async (t) => {
  t.deepEqual(await findingsIn([...MORNING, series, FIRST, SECOND, ['06:21', updated({ os: 'bsd' })]]), [])
})

const BROKEN: Readonly<Record<string, readonly [entries: readonly Entry[], expected: RegExp]>> = {
  'a series that has too few reservations': [
    [series, FIRST, [AT, updated({ os: 'bsd' })]],
    /1 of its reservations are missing/,
  ],
  'a reservation of no series in a series': [
    [series, [AT, onPort(reservationCreated(idAt(AT, 11), '10:00', '11:00'))]],
    /2 of its reservations are missing/,
  ],
  'a reservation of a series that is not there': [[FIRST], /belongs to the series .*, which is not before it/],
  'a reservation more than the series has': [
    [series, FIRST, SECOND, [AT, member(3, '2030-05-16T10:00:00+00:00', '2030-05-16T11:00:00+00:00')]],
    /belongs to the series .*, which is not before it/,
  ],
  'a reservation of another series': [
    [series, [AT, member(1, '10:00', '11:00', { series_id: idAt(AT, 9) })], SECOND],
    /belongs to the series .*, after the series/,
  ],
  'a reservation for another request': [
    [series, [AT, member(1, '10:00', '11:00'), { request_id: 'request-2' }], SECOND],
    /another request than its series/,
  ],
  'a first window that is not that of the series': [
    [series, [AT, member(1, '10:15', '11:00')], SECOND],
    /another window than its series says/,
  ],
  'reservations out of order': [
    [series, FIRST, [AT, member(2, '09:15', '09:45')]],
    /begins before the reservation of its series before it ends/,
  ],
}

for (const [what, [entries, expected]] of Object.entries(BROKEN)) {
  test(`${what} is found`, (t) => finds(t, expected, [...MORNING, ...entries]))
}

test('a reservation for another holder than that of its series is found', async (t) => {
  const forBob: Entry = [AT, member(1, '10:00', '11:00', { user_id: bob })]
  await finds(t, /another holder than its series/, [...MORNING, series, forBob, SECOND])
})
