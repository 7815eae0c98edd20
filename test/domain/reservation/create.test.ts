import test from 'ava'
import { EMPTY_CALENDAR } from '../../../src/domain/calendar/calendar.ts'
import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import { type ReservationCommand, reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { WindowLimits } from '../../../src/domain/reservation/window-limits.ts'
import {
  alice,
  asked,
  bob,
  clock,
  createReservation,
  explicit,
  idOf,
  LIMITS,
  reservationCancelled,
  reservationCreated,
  reservationReleased,
  sutCreated,
  sutCreationAbandoned,
  sutRetired,
  sutUpdated,
  tester,
} from '../builders.ts'
import { at, decided, type Past, refusal, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
const reserve = createReservation
const sixToSeven = explicit('06:00', '07:00')

test('a missing SUT or user is named, or both at once', (t) => {
  const noUser = { userExists: false }
  t.deepEqual(whyRefused(given().when(reserve(sixToSeven), '05:01')), ['sut_not_found', 'invalid sut_id'])
  t.deepEqual(whyRefused(given(at('05:00', sutCreationAbandoned())).when(reserve(sixToSeven), '05:01')), [
    'sut_not_found',
    'invalid sut_id',
  ])
  t.deepEqual(whyRefused(given(created).when(reserve(sixToSeven, noUser), '05:01')), [
    'user_not_found',
    'invalid user_id',
  ])
  const both = whyRefused(given().when(reserve(sixToSeven, noUser), '05:01'))
  t.deepEqual(both, ['sut_not_found', 'invalid user_id', 'invalid sut_id'])
})

test('refusals have a fixed order: invalid, not yours, not found, retired, inactive, conflict', (t) => {
  const code = (story: ReturnType<typeof given>, more: object = {}, window = sixToSeven) =>
    refusal(story.when(reserve(window, more), '05:02')).code
  const others = { actor: tester(bob), userExists: false }
  const taken = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'))
  const inactive = at('05:01', sutUpdated({ is_active: false }))
  for (const past of [
    [],
    [created, taken],
    [created, taken, inactive],
    [created, inactive, at('05:01', sutRetired())],
  ]) {
    t.is(code(given(...past), others, explicit('06:00', '06:00')), 'window_empty')
    t.is(code(given(...past), others), 'not_your_reservation')
  }
  t.is(code(given(), { userExists: false }), 'sut_not_found')
  t.is(code(given(created, inactive, at('05:01', sutRetired())), { userExists: false }), 'user_not_found')
  t.is(code(given(created, inactive, at('05:01', sutRetired()))), 'sut_retired')
  t.is(code(given(created, taken), { userExists: false }), 'user_not_found')
  t.is(code(given(created, taken, inactive)), 'sut_inactive')
  t.is(code(given(created, taken)), 'reservation_conflict')
})

test('a clock set back causes no double booking, as past windows cannot be requested and a state keeps them for a month', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '06:00', '06:15')),
    at('06:20', sutUpdated({ name: 'new name' })),
  )
  t.is(story.state.windows.flat().length, 1, 'until its end is recorded, or for a month')
  // The clock is at 05:30, but the decision uses the time of the last event.
  const now = new Date(Math.max(story.state.time, Date.parse('2030-05-02T05:30:00Z'))).toISOString()
  t.is(refusal(story.when(reserve(explicit('06:00', '06:15')), now)).code, 'window_over')
  t.is(refusal(story.when(reserve(explicit('06:00', '06:45')), now)).code, 'window_in_the_past')
  t.is(decided(story.when(reserve(explicit('06:15', '06:45')), now)).type, 'ReservationCreated')
  t.is(refusal(story.when(reserve(explicit('06:00', '06:15')), '05:30')).code, 'reservation_conflict')
  const later = given(
    created,
    at('05:00', reservationCreated(idOf(1), '06:00', '06:15')),
    at('2030-06-02T06:20:00Z', sutUpdated({ name: 'new name' })),
  )
  t.deepEqual(later.state.windows, EMPTY_CALENDAR)
  const control = decided(later.when(reserve(explicit('06:00', '06:15')), '05:30'))
  t.is(control.type, 'ReservationCreated', 'by the clock alone, the window would be booked twice')
})

test('a window is refused if it overlaps by one quarter on the grid', (t) => {
  const created = at('05:00', sutCreated())
  const story = stories(reservationDecider).given(created, at('05:00', reservationCreated(idOf(1), '06:15', '06:45')))
  for (const [start, end] of [
    ['06:00', '06:15:01'],
    ['06:44:59', '07:00'],
    ['06:00', '07:00'],
    ['06:30', '06:45'],
  ] as const) {
    const { help } = refusal(story.when(createReservation(explicit(start, end)), '05:01'))
    t.like(help?.conflicts, [{ _id: idOf(1) }], `${start} ${end}`)
  }
})

test('the next free window may begin at the horizon, and no later', (t) => {
  const story = given(created, at('05:00', reservationCreated(idOf(1), '06:00', '06:45')))
  const offered = (horizon: number) => {
    const command = createReservation(explicit('06:30', '06:45'), { limits: { ...LIMITS, horizon } })
    return refusal(story.when(command, '05:00')).help?.next_available
  }
  t.like(offered(6_300_000), { start_time: '2030-05-02T06:45:00+00:00' })
  t.is(offered(6_299_999), null)
})

const NOW = '05:58:11.400'
const reserveAt = (window: RequestedWindow, now = NOW, limits: WindowLimits = LIMITS) =>
  given(created).when(createReservation(window, { limits }), now)
const relative = (startIn: number, duration: number): RequestedWindow => ({ form: 'relative', startIn, duration })
const DAY = 86_400_000_000_000n

test('the limits are configurable, and refusals state them', (t) => {
  const limits = { windowMax: 5_400_000, horizon: 36 * 3_600_000 }
  const detail = (window: RequestedWindow) =>
    refusal(reserveAt(window, NOW, limits)).problems?.map(({ detail }) => detail)
  t.deepEqual(detail(relative(0, 5401)), ['must be at most 90 minutes after the start'])
  t.deepEqual(detail(relative(36 * 3600 + 1, 60)), ['must be at most 36 hours from now'])
  t.is(decided(reserveAt(relative(36 * 3600, 5400), NOW, limits)).type, 'ReservationCreated')
  t.regex(refusal(reserveAt(relative(0, 604_801))).detail, /^duration must be at most 168 hours after the start\.$/)
})

test('several problems of a window are reported at once', (t) => {
  const far: RequestedWindow = { form: 'explicit', start: asked(NOW, 0, 400n * DAY), end: asked(NOW, 0, 408n * DAY) }
  t.deepEqual(whyRefused(reserveAt(far)), ['invalid', 'window_too_long end_time', 'window_too_far start_time'])
  const past: RequestedWindow = { form: 'explicit', start: asked('05:44'), end: asked('05:44', 0, 8n * DAY) }
  t.deepEqual(whyRefused(reserveAt(past)), ['invalid', 'window_too_long end_time', 'window_in_the_past start_time'])
})

/** A window begins a turnaround after the quarter-hour in which the one before it ended, or later. */
const slow = at('05:00', sutCreated({ turnaround: 1_800 }))
/** 08:00 to 09:00. */
const eight = at('05:00', reservationCreated(idOf(1), '08:00', '09:00'))

test('the turnaround begins at the real end: of a release, and not at all of a cancelled reservation', (t) => {
  const released = given(slow, eight, at('08:20:02', reservationReleased(idOf(1), '2030-05-02T08:20:02+00:00')))
  const { help } = refusal(released.when(createReservation(explicit('08:45', '09:00')), '08:21'))
  t.like(help?.conflicts, [{ _id: idOf(1), turnaround: true }])
  t.is(decided(released.when(createReservation(explicit('09:00', '09:15')), '08:21')).type, 'ReservationCreated')
  const cancelled = given(slow, eight, at('07:00', reservationCancelled(idOf(1))))
  t.is(decided(cancelled.when(createReservation(explicit('08:00', '09:00')), '07:01')).type, 'ReservationCreated')
})

const SCOPE = { team: 'qa1', rack: '4' }
const inside = at('05:01', sutUpdated({ tags: { team: 'qa1', rack: '4', os: 'nt' } }))
const outside = at('05:02', sutUpdated({ tags: { rack: '5' } }))
const busy = at('05:03', reservationCreated(idOf(1), '06:00', '07:00', bob))

const create = (start = '06:00', end = '07:00', more = {}) =>
  createReservation(explicit(start, end), { actor: tester(alice), scope: SCOPE, ...more })
const own = (type: 'CancelReservation' | 'BindReservation') =>
  ({ type, actor: tester(alice), _id: idOf(2), user_id: alice, client: 'k.hash' }) as const
const extension: ReservationCommand = {
  ...{ type: 'ExtendReservation', actor: tester(alice), _id: idOf(2), user_id: alice },
  ...{ end: asked('09:00'), limits: LIMITS, scope: SCOPE },
}

test('a tester reserves a SUT that has all tags of its scope', (t) => {
  t.is(decided(given(created, inside).when(create(), '05:10')).type, 'ReservationCreated')
})

test('a SUT outside is refused exactly like one that does not exist, whatever has happened to it', (t) => {
  const pasts: readonly (readonly Past[])[] = [
    [created],
    [created, inside, outside],
    [created, outside, busy],
    [created, outside, at('05:04', sutUpdated({ is_active: false }))],
    [created, outside, at('05:04', sutRetired())],
  ]
  const commands: readonly ReservationCommand[] = [
    create(),
    create('04:00', '04:15'),
    create('06:00', '07:00', { user_id: bob }),
    create('06:00', '07:00', { userExists: false }),
    { ...extension, _id: idOf(1) },
  ]
  for (const command of commands) {
    const ofNothing = refusal(given().when(command, '05:10'))
    for (const past of pasts) t.deepEqual(refusal(given(...past).when(command, '05:10')), ofNothing)
  }
})

test('an own reservation outside is cancelled and bound, but not extended', (t) => {
  const past = [created, inside, at('05:03', reservationCreated(idOf(2), '08:00', '08:30')), at('05:04', outside.event)]
  t.is(decided(given(...past).when(own('CancelReservation'), '05:10')).type, 'ReservationCancelled')
  t.is(decided(given(...past).when(own('BindReservation'), '05:10')).type, 'ReservationBound')
  t.is(refusal(given(...past).when(extension, '05:10')).code, 'sut_not_found')
  t.is(decided(given(...past.slice(0, 3)).when(extension, '05:10')).type, 'ReservationExtended')
})

test('of a SUT outside, the sender of a command knows not even when its last event was', (t) => {
  const { state } = given(created, outside)
  t.is(reservationDecider.known?.(state, create()).time, 0)
  t.is(reservationDecider.known?.(state, create('06:00', '07:00', { scope: undefined })).time, clock('05:02'))
  t.is(reservationDecider.known?.(state, own('CancelReservation')).time, clock('05:02'))
  t.is(reservationDecider.known?.(given(created, inside).state, create()).time, clock('05:01'))
})
