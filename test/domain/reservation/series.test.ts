import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { DataOf } from '../../../src/domain/event.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { encodeEvent } from '../../../src/event-store/stored-event.ts'
import {
  alice,
  asked,
  bob,
  clock,
  idOf,
  LIMITS,
  type Reserving,
  reservationCancelled,
  reservationCreated,
  sutCreated,
  sutRetired,
  sutUpdated,
  tester,
  wall,
} from '../builders.ts'
import { at, type Decision, type Past, recordedAt, records, stories, whyRefused } from '../given-when-then.ts'
import { createSeries } from '../series/series.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
const onSut = (...more: readonly Past[]) => given(created, ...more)

const window = (start: string, end: string) => [asked(start), asked(end)] as const
const MORNING = window('08:00', '09:30')
const codeOf = (decision: Decision): string | undefined => whyRefused(decision)[0]

/** The windows that a decision reserves, in order. */
const windowsOf = (decision: Decision): readonly string[] =>
  E.isLeft(decision)
    ? []
    : decision.right.flatMap(({ type, data }) =>
        type === 'ReservationCreated' ? [`${data.start_time} ${data.end_time}`] : [],
      )

test('a series is one event and its reservations, which have its id', (t) => {
  const decision = onSut().when(createSeries('FREQ=WEEKLY;COUNT=2', MORNING, 'Europe/Berlin'), '05:00')
  if (E.isLeft(decision)) return t.fail(decision.left.detail)
  const [series, ...reservations] = decision.right.map(({ data }) => data)
  const { _id, ...data } = series as DataOf<'ReservationSeriesCreated'>
  t.deepEqual(data, {
    count: 2,
    end_time: wall('11:30', '+02:00'),
    rrule: 'FREQ=WEEKLY;COUNT=2',
    start_time: wall('10:00', '+02:00'),
    sut_id: '58c38f5d444553252cce0000',
    time_zone: 'Europe/Berlin',
    user_id: alice,
  })
  const made = reservations as readonly DataOf<'ReservationCreated'>[]
  t.deepEqual(
    made.map(({ series_id, counted, listen_port }) => ({ series_id, counted, listen_port })),
    [1, 2].map(() => ({ series_id: _id, counted: 6, listen_port: 20017 })),
  )
  t.is(new Set([_id, ...made.map((each) => each._id)]).size, 3)
})

// 27 October 2030 ends summer time in Berlin, 31 March 2030 begins it.
test('wall clock start and end are kept, in the offset of the zone at each', (t) => {
  const days = (rrule: string, start: string, end: string) => {
    const first = [asked(`2030-10-26T${start}Z`), asked(`2030-10-26T${end}Z`)] as const
    return windowsOf(onSut().when(createSeries(rrule, first, 'Europe/Berlin'), '05:00'))
  }
  t.deepEqual(days('FREQ=DAILY;COUNT=2', '06:00', '07:00'), [
    '2030-10-26T08:00:00+02:00 2030-10-26T09:00:00+02:00',
    '2030-10-27T08:00:00+01:00 2030-10-27T09:00:00+01:00',
  ])
  // Of two moments the first: from 01:30 to the first 02:30.
  t.deepEqual(days('FREQ=DAILY;COUNT=2', '23:30', '23:45').length, 2)
  t.deepEqual(days('FREQ=DAILY;COUNT=2', '00:15', '00:30')[1], '2030-10-27T02:15:00+02:00 2030-10-27T02:30:00+02:00')
})

test('an end that the clock skips is moved on, a start that it skips is left out', (t) => {
  const limits = { ...LIMITS, horizon: 400 * 86_400_000 }
  const days = (start: string, end: string) => {
    const first = [asked(`2031-03-29T${start}Z`), asked(`2031-03-29T${end}Z`)] as const
    const command = createSeries('FREQ=DAILY;COUNT=2', first, 'Europe/Berlin', { limits })
    return windowsOf(onSut().when(command, '05:00'))[1]
  }
  t.is(days('00:30', '01:30'), '2031-03-30T01:30:00+01:00 2031-03-30T03:30:00+02:00')
  t.is(days('01:15', '01:45'), '2031-03-31T02:15:00+02:00 2031-03-31T02:45:00+02:00')
})

test('each window is put on the grid, to the nanosecond', (t) => {
  const first = [asked('08:07:30'), asked('08:15', 0, 1n)] as const
  const expected = ['02', '03'].map((day) => `2030-05-${day}T08:00:00+00:00 2030-05-${day}T08:30:00+00:00`)
  t.deepEqual(windowsOf(onSut().when(createSeries('FREQ=DAILY;COUNT=2', first), '05:00')), expected)
})

test('a series is refused for what is wrong with its rule', (t) => {
  const year = { limits: { ...LIMITS, horizon: 366 * 86_400_000 } }
  const rows: readonly (readonly [code: string, rrule: string, ends?: readonly [string, string], zone?: string])[] = [
    ['series_start_mismatch', 'FREQ=WEEKLY;BYDAY=MO;COUNT=2'],
    ['series_start_mismatch', 'FREQ=DAILY;UNTIL=20300501T000000Z'],
    ['series_start_mismatch', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
    // The second of two moments: 02:30 after the clock was put back.
    ['series_start_mismatch', 'FREQ=DAILY;COUNT=2', ['2030-10-27T01:30:00Z', '2030-10-27T02:30:00Z'], 'Europe/Berlin'],
    ['series_start_mismatch', 'FREQ=DAILY;COUNT=2', ['2030-10-27T00:00:00Z', '2030-10-27T01:30:00Z'], 'Europe/Berlin'],
    ['window_too_far', 'FREQ=WEEKLY;COUNT=54'],
    ['window_too_far', 'FREQ=WEEKLY;UNTIL=20320101T000000Z'],
    ['series_too_long', 'FREQ=DAILY;BYHOUR=8,10;UNTIL=20310301T000000Z'],
    ['series_too_short', 'FREQ=YEARLY;INTERVAL=2'],
    ['series_too_short', 'FREQ=DAILY;UNTIL=20300502T080000Z'],
    ['series_overlaps', 'FREQ=DAILY;BYHOUR=8,9;COUNT=4'],
    // On the grid.
    ['series_overlaps', 'FREQ=DAILY;BYHOUR=8;BYMINUTE=0,20;COUNT=4', ['2030-05-02T08:00:00Z', '2030-05-02T08:16:00Z']],
    ['window_too_long', 'FREQ=YEARLY;COUNT=2', ['2030-05-02T08:00:00Z', '2030-05-12T08:00:00Z']],
    // A week of 169 hours.
    ['window_too_long', 'FREQ=WEEKLY;COUNT=30', ['2030-05-02T08:00:00Z', '2030-05-09T08:00:00Z'], 'Europe/Berlin'],
    ['window_in_the_past', 'FREQ=DAILY;COUNT=2', ['2030-05-02T04:00:00Z', '2030-05-02T06:00:00Z']],
    ['window_empty', 'FREQ=DAILY;COUNT=2', ['2030-05-02T08:00:00Z', '2030-05-02T08:00:00Z']],
  ]
  for (const [code, rrule, ends, zone] of rows) {
    const first = ends === undefined ? MORNING : window(...ends)
    t.is(codeOf(onSut().when(createSeries(rrule, first, zone, year), '05:00')), code, `${rrule} ${ends} ${zone}`)
  }
})

test('a first window that was too far when windows were looked for is too far when it is decided', (t) => {
  const limits = { ...LIMITS, horizon: 86_400_000 }
  const first = window('2030-05-03T05:00:10Z', '2030-05-03T06:00:00Z')
  const command = createSeries('FREQ=DAILY', first, 'UTC', { limits }, clock('05:00'))
  t.is(codeOf(onSut().when(command, '05:00:30')), 'window_too_far')
})

test('a rule without COUNT and UNTIL goes to the horizon, or to its 366th window', (t) => {
  const count = (rrule: string) => windowsOf(onSut().when(createSeries(rrule, MORNING), '05:00')).length
  t.deepEqual(['FREQ=WEEKLY', 'FREQ=DAILY', 'FREQ=DAILY;BYHOUR=8,10'].map(count), [53, 366, 366])
})

test('conflicts name the first hundred, each with the occurrence', (t) => {
  const held = at('05:00', reservationCreated(idOf(1), '2030-05-09T09:15:00+02:00', '2030-05-09T11:00:00+02:00', bob))
  const refused = onSut(held).when(createSeries('FREQ=WEEKLY;COUNT=3', MORNING, 'Europe/Berlin'), '05:00')
  const window = { start_time: '2030-05-09T09:15:00+02:00', end_time: '2030-05-09T11:00:00+02:00' }
  const occurrence = '2030-05-09T10:00:00+02:00'
  t.deepEqual(E.isLeft(refused) && [refused.left.code, refused.left.help], [
    'reservation_conflict',
    { conflicts: [{ _id: idOf(1), user_id: bob, ...window, occurrence }] },
  ])
  const all = Array.from({ length: 120 }, (_, n) => {
    const day = new Date(Date.UTC(2030, 4, 2 + n)).toISOString().slice(0, 10)
    return at('05:00', reservationCreated(idOf(n + 1), `${day}T08:00:00+00:00`, `${day}T08:30:00+00:00`))
  })
  const many = onSut(...all).when(createSeries('FREQ=DAILY;COUNT=120', MORNING), '05:00')
  t.is(E.isLeft(many) ? many.left.help?.conflicts?.length : 0, 100)
})

test('a series keeps to the quota of each week, whole or not', (t) => {
  const usage = { quartersIn: () => 0, endingAfter: () => 3, unfinished: () => undefined }
  const within = (hours_per_week: number | null, reservations_max: number | null) => {
    const quota = { quota: { hours_per_week, reservations_max, priority_max: null }, usage }
    // Two windows of one and a half hours a week.
    const command = createSeries('FREQ=WEEKLY;BYDAY=TH,FR;COUNT=4', MORNING, 'UTC', { quota })
    const decision = onSut().when(command, '05:00')
    return E.isLeft(decision) ? [decision.left.code, decision.left.help?.week] : decision.right.length
  }
  t.is(within(3, null), 5)
  t.deepEqual(within(2.75, null), ['quota_exceeded', '2030-W18'])
  t.is(within(null, 7), 5)
  t.deepEqual(within(null, 6), ['quota_exceeded', null])
})

test('who may not, an unknown user or SUT, and a SUT that takes none are refused in order', (t) => {
  const by = (more: object) => createSeries('FREQ=DAILY;COUNT=2', MORNING, 'UTC', more)
  t.is(codeOf(onSut().when(by({ actor: tester(bob) }), '05:00')), 'not_your_reservation')
  t.is(codeOf(onSut().when(by({ actor: tester(alice), isBeyondQuota: true }), '05:00')), 'forbidden')
  t.is(codeOf(onSut().when(by({ userExists: false }), '05:00')), 'user_not_found')
  t.is(codeOf(given().when(by({}), '05:00')), 'sut_not_found')
  t.is(codeOf(onSut().when(by({ scope: { rack: '4' } }), '05:00')), 'sut_not_found')
  t.is(codeOf(onSut(at('05:00', sutUpdated({ is_active: false }))).when(by({}), '05:00')), 'sut_inactive')
  t.is(codeOf(onSut(at('05:00', sutRetired())).when(by({}), '05:00')), 'sut_retired')
})

test('a series is decided from plain values, as a thread sends them', (t) => {
  const command = createSeries('FREQ=DAILY;COUNT=366', MORNING, 'Europe/Berlin')
  const sent = structuredClone(command.found)
  t.deepEqual(sent, command.found)
  const decide = (found: typeof sent) => onSut().when({ ...command, found }, '05:00')
  t.deepEqual(decide(sent), decide(command.found))
  t.is(windowsOf(decide(sent)).length, 366)
})

test('a rule with too many candidates is refused', (t) => {
  const command = createSeries('FREQ=DAILY;COUNT=2', MORNING)
  const tooMany = { ...command, found: { ...command.found, more: 'unknown' as const } }
  t.is(codeOf(onSut().when(tooMany, '05:00')), 'series_too_long')
})

test('the largest series is less than the megabyte that an append may have', (t) => {
  const longest = '\u{1f600}'.repeat(128)
  const command = createSeries('FREQ=DAILY', MORNING, 'UTC', { user_id: longest, isBeyondQuota: true })
  const decision = onSut().when(command, '05:00')
  if (E.isLeft(decision)) return t.fail(decision.left.detail)
  const more = { actor: longest, client: `${'k'.repeat(32)}:${'c'.repeat(22)}`, reason: '\u{1f600}'.repeat(200) }
  const stored = decision.right.map((event, n) => {
    const { id, metadata, stream } = recordedAt(n, at('05:00', event, { ...more, request_id: 'r'.repeat(36) }))
    return encodeEvent(`${stream}${'s'.repeat(28)}`, n, { ...event, id, metadata })
  })
  t.is(stored.length, 367)
  t.true(stored.reduce((sum, text) => sum + Buffer.byteLength(text), 0) < 1_000_000)
})

const past = [
  at('05:00', sutCreated()),
  at('05:00', reservationCreated(idOf(1), '06:00', '07:00')),
  at('05:00', reservationCreated(idOf(2), '08:00', '09:00')),
  at('05:00', reservationCreated(idOf(3), '10:00', '11:00')),
  at('05:00', reservationCreated(idOf(4), '12:00', '13:00')),
]
const cancel = (actor = tester(alice)): Reserving<'CancelSeries'> => ({
  type: 'CancelSeries',
  actor,
  user_id: alice,
  reservationIds: [1, 2, 3].map(idOf),
})

test('cancelling a series cancels those of its reservations that have not begun', (t) => {
  const all = [1, 2, 3].map((n) => reservationCancelled(idOf(n)))
  t.deepEqual(given(...past).when(cancel(), '05:30'), records(...all))
  t.deepEqual(given(...past).when(cancel(), '06:00'), records(...all.slice(1)), 'one has begun')
  t.deepEqual(given(...past).when(cancel(), '08:30'), records(...all.slice(2)), 'one is over')
  t.deepEqual(given(...past).when(cancel(), '10:00'), records(), 'none is left')
  const cancelled = at('05:10', reservationCancelled(idOf(2)))
  t.deepEqual(given(...past, cancelled).when(cancel(), '06:30'), records(...all.slice(2)), 'one was cancelled before')
})

test('only the holder and administrators cancel a series', (t) => {
  t.deepEqual(whyRefused(given(...past).when(cancel(tester(bob)), '05:30')), ['not_your_reservation'])
})
