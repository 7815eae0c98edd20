import test from 'ava'
import { weekOf } from '../../../src/domain/calendar/week.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { countCreated, countReleased, type QuotaUse } from '../../../src/domain/reservation/quota.ts'
import { addSeconds } from '../../../src/domain/values/instant.ts'
import {
  alice,
  asked,
  clock,
  createReservation,
  idOf,
  LIMITS,
  type Reserving,
  reservationCreated,
  reservationExtended,
  sutCreated,
  tester,
} from '../builders.ts'
import { at, decided, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
/** 06:00 to 07:00 UTC on Thursday of the week 2030-W18. */
const made = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'))
const WEEK = weekOf(clock('06:00') / 1000)

const NO_LIMITS = { hours_per_week: null, reservations_max: null, priority_max: 0 }

/** A quota of which some hours of the default day's week, and some reservations, are used. */
const quotaOf = (
  limits: Partial<QuotaUse['quota']>,
  used: { readonly hours?: number; readonly reservations?: number; readonly exempt?: readonly string[] } = {},
): QuotaUse => ({
  quota: { ...NO_LIMITS, ...limits },
  usage: {
    quartersIn: (week) => (week === WEEK ? (used.hours ?? 0) * 4 : 0),
    endingAfter: () => used.reservations ?? 0,
    unfinished: (id) => ({ quarters: 4, isExempt: (used.exempt ?? []).includes(id) }),
  },
})

const reserve = (from: string, to: string, quota?: QuotaUse, more: Parameters<typeof createReservation>[1] = {}) =>
  createReservation({ form: 'explicit', start: asked(from), end: asked(to) }, { quota, ...more })
const extend = (
  duration: number,
  quota?: QuotaUse,
  more: Partial<Reserving<'ExtendReservation'>> = {},
): Reserving<'ExtendReservation'> => ({
  ...{ type: 'ExtendReservation', actor: tester(alice), _id: idOf(1), user_id: alice },
  ...{ end: { duration }, limits: LIMITS, quota },
  ...more,
})

test('hours up to the quota are reserved, and a quarter more is refused with what is used and the week', (t) => {
  const quota = quotaOf({ hours_per_week: 40 }, { hours: 38.5, reservations: 3 })
  t.is(decided(given(created).when(reserve('06:00', '07:30', quota), '05:01')).type, 'ReservationCreated')
  const { code, detail, help } = refusal(given(created).when(reserve('06:00', '07:31', quota), '05:01'))
  t.is(code, 'quota_exceeded')
  t.is(detail, 'The quota is 40 hours in a week. The user has 38.5 in 2030-W18, and this would add 1.75.')
  t.deepEqual(help, { used: { hours: 38.5, reservations: 3 }, quota: quota.quota, week: '2030-W18' })
})

test('a window asked for by its length counts that length, and one by its ends the gridded window', (t) => {
  const counted = (window: Parameters<typeof createReservation>[0], now: string) => {
    const { data } = decided(given(created).when(createReservation(window), now)) as { data: { counted?: number } }
    return data.counted
  }
  const relative = (duration: number) => ({ form: 'relative', startIn: 0, duration }) as const
  for (const [duration, quarters] of [
    [1, 1],
    [900, 1],
    [901, 2],
    [1_800, 2],
    [36_000, 40],
  ] as const) {
    t.is(counted(relative(duration), '06:10'), quarters, `${duration} s`)
    t.is(counted(relative(duration), '06:00'), quarters, `${duration} s from a quarter`)
  }
  t.is(counted({ form: 'explicit', start: asked('06:10'), end: asked('06:40') }, '05:01'), 3)
  const quota = quotaOf({ hours_per_week: 10 })
  const whole = createReservation(relative(36_000), { quota })
  t.is(decided(given(created).when(whole, '06:10')).type, 'ReservationCreated', '10 hours fit into 10 hours')
})

test('a reservation counts at most what it held its SUT, at least a quarter, and never more than before', (t) => {
  const start = clock('06:00') / 1000
  const minutes = (n: number) => start + n * 60
  t.is(countReleased(4, start * 1000, minutes(20)), 2)
  t.is(countReleased(4, start * 1000, minutes(60)), 4)
  t.is(countReleased(2, minutes(14) * 1000, minutes(20)), 1, 'held from its creation')
  t.is(countReleased(2, minutes(14) * 1000, minutes(44.5)), 2)
  t.is(countReleased(4, start * 1000, start + 1), 1)
  t.is(countReleased(4, start * 1000, start), 1)
})

test('what was recorded without a count counts its window', (t) => {
  const { data } = reservationCreated(idOf(1), '06:00', '07:00')
  const { counted: _, ...former } = data
  t.is(countCreated(former), 4)
  t.is(countCreated({ ...former, start_time: '2030-05-02T06:10:02+00:00' }), 4)
  t.is(countCreated({ ...data, counted: 3 }), 3)
})

test('hours count in the week of the gridded start', (t) => {
  const quota = quotaOf({ hours_per_week: 1 }, { hours: 1 })
  const across = (start: string) => {
    const from = asked(start)
    const to = { ...from, instant: addSeconds(from.instant, 900) }
    return given(created).when(createReservation({ form: 'explicit', start: from, end: to }, { quota }), '05:01')
  }
  t.is(refusal(across('2030-05-05T23:59:59Z')).help?.week, '2030-W18')
  t.is(decided(across('2030-05-06T00:00:00Z')).type, 'ReservationCreated')
})

test('as many reservations as the quota has are made, and the refusal of one more names no week', (t) => {
  const quota = (reservations: number) => quotaOf({ reservations_max: 20, hours_per_week: 0.25 }, { reservations })
  t.is(decided(given(created).when(reserve('06:00', '06:15', quota(19)), '05:01')).type, 'ReservationCreated')
  const { help, detail } = refusal(given(created).when(reserve('06:00', '07:00', quota(20)), '05:01'))
  t.like(help, { used: { hours: 0, reservations: 20 }, week: null })
  t.is(detail, 'The quota is 20 reservations that are not over. The user has 20.')
})

test('a reservation counts until it is over', (t) => {
  const { quota, usage } = quotaOf({ reservations_max: 1 })
  const ending = { quota, usage: { ...usage, endingAfter: (moment: number) => Number(moment < clock('06:15') / 1000) } }
  const at = (now: string) => given(created).when(reserve('08:00', '08:15', ending), now)
  t.is(refusal(at('06:14:59.999')).code, 'quota_exceeded')
  t.is(decided(at('06:15')).type, 'ReservationCreated')
})

test('the refusal shows the quota in the order of a user, whatever order the event had', (t) => {
  const use = { ...quotaOf({}), quota: { reservations_max: null, priority_max: 0, hours_per_week: 0 } }
  const { help } = refusal(given(created).when(reserve('06:00', '07:00', use), '05:01'))
  t.is(JSON.stringify(help?.quota), '{"hours_per_week":0,"reservations_max":null,"priority_max":0}')
})

test('a quota is refused after everything else', (t) => {
  const quota = quotaOf({ hours_per_week: 0, reservations_max: 0 })
  const code = (command: Parameters<ReturnType<typeof given>['when']>[0]) =>
    refusal(given(created, made).when(command, '05:01')).code
  t.is(code(reserve('06:30', '07:30', quota)), 'reservation_conflict')
  t.is(code(reserve('04:00', '04:30', quota)), 'window_over')
  t.is(code(reserve('08:00', '09:00', quota, { userExists: false })), 'user_not_found')
  t.is(code(reserve('08:00', '09:00', quota)), 'quota_exceeded')
  t.is(code(extend(1_800, quota)), 'end_not_later')
  t.is(code(extend(7_200, quota)), 'quota_exceeded')
})

test('an extension adds its hours to the week of the start, and no reservation', (t) => {
  const full = quotaOf({ hours_per_week: 3, reservations_max: 1 }, { hours: 2, reservations: 5 })
  const to = (end: string) => records(reservationExtended(idOf(1), `2030-05-02T${end}:00+00:00`))
  t.deepEqual(given(created, made).when(extend(7_200, full), '05:01'), to('08:00'))
  t.like(refusal(given(created, made).when(extend(8_100, full), '05:01')).help, {
    used: { hours: 2, reservations: 5 },
    week: '2030-W18',
  })
  t.deepEqual(given(created, made).when(extend(3_600, full), '05:01'), records(), 'the same end adds nothing')
})

test('a reservation made beyond the quota counts as a whole once it is extended within it', (t) => {
  const exempt = [idOf(1)]
  const extended = (limits: Partial<QuotaUse['quota']>) =>
    given(created, made).when(extend(7_200, quotaOf(limits, { exempt, reservations: 1 })), '05:01')
  t.is(decided(extended({ hours_per_week: 2, reservations_max: 2 })).type, 'ReservationExtended')
  t.is(refusal(extended({ hours_per_week: 1.75 })).help?.week, '2030-W18')
  t.is(refusal(extended({ reservations_max: 1 })).help?.week, null)
})
