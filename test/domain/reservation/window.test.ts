import test from 'ava'
import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { WindowLimits } from '../../../src/domain/reservation/window-limits.ts'
import { asked, clock, createReservation, explicit, LIMITS, sutCreated } from '../builders.ts'
import { at, decided, refusal, stories, whyRefused } from '../given-when-then.ts'

const NOW = '05:58:11.400'
const story = stories(reservationDecider).given(at('05:00', sutCreated()))
const reserve = (window: RequestedWindow, now = NOW, limits: WindowLimits = LIMITS) =>
  story.when(createReservation(window, { limits }), now)
const relative = (startIn: number, duration: number): RequestedWindow => ({ form: 'relative', startIn, duration })
/** A window of so many nanoseconds. */
const lasting = (start: string, nanoseconds: bigint): RequestedWindow => ({
  form: 'explicit',
  start: asked(start),
  end: asked(start, 0, nanoseconds),
})
/** A window of an hour that starts so many nanoseconds after now. */
const startingAfter = (nanoseconds: bigint): RequestedWindow => ({
  form: 'explicit',
  start: asked(NOW, 0, nanoseconds),
  end: asked(NOW, 0, nanoseconds + 3_600_000_000_000n),
})
const DAY = 86_400_000_000_000n

test('a window whose end is not after its start is empty', (t) => {
  t.deepEqual(whyRefused(reserve(explicit('06:00', '06:00'))), ['window_empty', 'window_empty end_time'])
  t.deepEqual(whyRefused(reserve(explicit('06:15', '06:00'))), ['window_empty', 'window_empty end_time'])
  t.deepEqual(whyRefused(reserve(explicit('06:05', '06:05'))), ['window_empty', 'window_empty end_time'])
  t.is(whyRefused(reserve(explicit('05:00', '04:00')))[0], 'window_empty', 'also in the past')
})

test('a window of one nanosecond gets its whole quarter', (t) => {
  t.like(decided(reserve(lasting('06:05', 1n))).data, {
    start_time: '2030-05-02T06:00:00+00:00',
    end_time: '2030-05-02T06:15:00+00:00',
  })
})

test('a window whose requested end is not after now is over', (t) => {
  t.deepEqual(whyRefused(reserve(explicit('05:00', '05:30'))), ['window_over', 'window_over end_time'])
  const toNow: RequestedWindow = { form: 'explicit', start: asked('05:50'), end: asked(NOW) }
  t.is(whyRefused(reserve(toNow))[0], 'window_over', 'although its quarter has not ended')
  const pastNow: RequestedWindow = { form: 'explicit', start: asked('05:50'), end: asked(NOW, 0, 1n) }
  t.like(decided(reserve(pastNow)).data, { end_time: '2030-05-02T06:00:00+00:00' })
})

test('a window longer than the limit is refused, measured as requested, not on the grid', (t) => {
  t.is(decided(reserve(lasting('06:07:30', 7n * DAY))).type, 'ReservationCreated')
  t.deepEqual(whyRefused(reserve(lasting('06:07:30', 7n * DAY + 1n))), ['window_too_long', 'window_too_long end_time'])
  t.is(decided(reserve(relative(0, 7 * 86_400))).type, 'ReservationCreated')
  t.deepEqual(whyRefused(reserve(relative(0, 7 * 86_400 + 1))), ['window_too_long', 'window_too_long duration'])
})

test('a start beyond the horizon is refused', (t) => {
  t.is(decided(reserve(startingAfter(366n * DAY))).type, 'ReservationCreated')
  t.deepEqual(whyRefused(reserve(startingAfter(366n * DAY + 1n))), ['window_too_far', 'window_too_far start_time'])
  t.is(decided(reserve(relative(366 * 86_400, 60))).type, 'ReservationCreated')
  t.deepEqual(whyRefused(reserve(relative(366 * 86_400 + 1, 60))), ['window_too_far', 'window_too_far start_in'])
})

test('the limits are configurable, and refusals state them', (t) => {
  const limits = { windowMax: 5_400_000, horizon: 36 * 3_600_000 }
  const detail = (window: RequestedWindow) =>
    refusal(reserve(window, NOW, limits)).problems?.map(({ detail }) => detail)
  t.deepEqual(detail(relative(0, 5401)), ['must be at most 90 minutes after the start'])
  t.deepEqual(detail(relative(36 * 3600 + 1, 60)), ['must be at most 36 hours from now'])
  t.is(decided(reserve(relative(36 * 3600, 5400), NOW, limits)).type, 'ReservationCreated')
  t.regex(refusal(reserve(relative(0, 604_801))).detail, /^duration must be at most 168 hours after the start\.$/)
})

test('a start before the current quarter is refused; one within it is accepted', (t) => {
  const from = (start: string, nanoseconds = 0n): RequestedWindow => ({
    form: 'explicit',
    start: asked(start, 120, nanoseconds),
    end: asked('07:00', 120),
  })
  t.like(decided(reserve(from('05:45'))).data, { start_time: '2030-05-02T07:45:00+02:00' })
  t.like(decided(reserve(from('05:50'))).data, { start_time: '2030-05-02T07:45:00+02:00' })
  const refused = reserve(from('05:45', -1n))
  t.deepEqual(whyRefused(refused), ['window_in_the_past', 'window_in_the_past start_time'])
  t.regex(refusal(refused).detail, /current quarter-hour, 2030-05-02T07:45:00\+02:00/)
})

test('exactly at a quarter, the previous quarter is over', (t) => {
  t.like(decided(reserve(explicit('06:00', '06:15'), '06:00')).data, { start_time: '2030-05-02T06:00:00+00:00' })
  t.is(whyRefused(reserve(explicit('05:45', '06:00'), '06:00'))[0], 'window_over')
  t.is(whyRefused(reserve(explicit('05:45', '06:15'), '06:00'))[0], 'window_in_the_past')
  t.like(decided(reserve(explicit('05:45', '06:00'), '05:59:59.999')).data, { end_time: '2030-05-02T06:00:00+00:00' })
})

test('several problems of a window are reported at once', (t) => {
  const far: RequestedWindow = { form: 'explicit', start: asked(NOW, 0, 400n * DAY), end: asked(NOW, 0, 408n * DAY) }
  t.deepEqual(whyRefused(reserve(far)), ['invalid', 'window_too_long end_time', 'window_too_far start_time'])
  const past: RequestedWindow = { form: 'explicit', start: asked('05:44'), end: asked('05:44', 0, 8n * DAY) }
  t.deepEqual(whyRefused(reserve(past)), ['invalid', 'window_too_long end_time', 'window_in_the_past start_time'])
})

test('a relative window counts from now, to the millisecond', (t) => {
  const { data } = decided(reserve(relative(108, 1)))
  t.like(data, { start_time: '2030-05-02T05:45:00+00:00', end_time: '2030-05-02T06:15:00+00:00' })
  t.is(clock('06:00') - clock(NOW), 108_600, 'it starts 600 ms before a quarter and ends 400 ms after it')
})
