import test from 'ava'
import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { WindowLimits } from '../../../src/domain/reservation/window-limits.ts'
import { asked, createReservation, LIMITS, sutCreated } from '../builders.ts'
import { at, decided, refusal, stories, whyRefused } from '../given-when-then.ts'

const NOW = '05:58:11.400'
const story = stories(reservationDecider).given(at('05:00', sutCreated()))
const reserve = (window: RequestedWindow, now = NOW, limits: WindowLimits = LIMITS) =>
  story.when(createReservation(window, { limits }), now)
const relative = (startIn: number, duration: number): RequestedWindow => ({ form: 'relative', startIn, duration })
const DAY = 86_400_000_000_000n

test('the limits are configurable, and refusals state them', (t) => {
  const limits = { windowMax: 5_400_000, horizon: 36 * 3_600_000 }
  const detail = (window: RequestedWindow) =>
    refusal(reserve(window, NOW, limits)).problems?.map(({ detail }) => detail)
  t.deepEqual(detail(relative(0, 5401)), ['must be at most 90 minutes after the start'])
  t.deepEqual(detail(relative(36 * 3600 + 1, 60)), ['must be at most 36 hours from now'])
  t.is(decided(reserve(relative(36 * 3600, 5400), NOW, limits)).type, 'ReservationCreated')
  t.regex(refusal(reserve(relative(0, 604_801))).detail, /^duration must be at most 168 hours after the start\.$/)
})

test('several problems of a window are reported at once', (t) => {
  const far: RequestedWindow = { form: 'explicit', start: asked(NOW, 0, 400n * DAY), end: asked(NOW, 0, 408n * DAY) }
  t.deepEqual(whyRefused(reserve(far)), ['invalid', 'window_too_long end_time', 'window_too_far start_time'])
  const past: RequestedWindow = { form: 'explicit', start: asked('05:44'), end: asked('05:44', 0, 8n * DAY) }
  t.deepEqual(whyRefused(reserve(past)), ['invalid', 'window_too_long end_time', 'window_in_the_past start_time'])
})
