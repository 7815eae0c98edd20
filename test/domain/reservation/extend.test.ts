import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { ExtendReservation } from '../../../src/domain/reservation/extend.ts'
import {
  alice,
  asked,
  bob,
  idOf,
  LIMITS,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  sutCreated,
  sutUpdated,
  tester,
} from '../builders.ts'
import { at, type Past, records, refusal, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
/** 06:00 to 07:00 UTC. */
const made = at('05:00', reservationCreated(idOf(1), '2030-05-02T08:00:00+02:00', '2030-05-02T03:30:00-03:30'))
const inactive = at('05:01', sutUpdated({ is_active: false }))
const withReservation = (...more: readonly Past[]) => given(created, made, ...more)

const extend = (end: ExtendReservation['end'], more: Partial<ExtendReservation> = {}): ExtendReservation => ({
  type: 'ExtendReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  documentStatus: 'made',
  end,
  limits: LIMITS,
  ...more,
})
const hours = (count: number) => ({ duration: count * 3600 })

test('an earlier end is refused', (t) => {
  for (const [end, field] of [
    [asked('06:45'), 'end_time'],
    [asked('05:00'), 'end_time'],
    [{ duration: 2700 }, 'duration'],
  ] as const) {
    const refused = withReservation().when(extend(end), '05:01')
    t.deepEqual(whyRefused(refused), ['end_not_later', `end_not_later ${field}`])
    t.regex(refusal(refused).detail, /the current end, 2030-05-02T03:30:00-03:30/)
  }
})

test('an extended reservation is limited to the maximum window, measured from its start as requested', (t) => {
  const week = 7 * 86_400
  t.deepEqual(
    withReservation().when(extend({ duration: week }), '05:01'),
    records(reservationExtended(idOf(1), '2030-05-09T02:30:00-03:30')),
  )
  const longer = withReservation().when(extend({ duration: week + 1 }), '05:01')
  t.deepEqual(whyRefused(longer), ['window_too_long', 'window_too_long duration'])
  const past = withReservation().when(extend(asked('2030-05-09T06:00:00Z', 0, 1n)), '05:01')
  t.deepEqual(whyRefused(past), ['window_too_long', 'window_too_long end_time'])
})

test('extending to the current end is accepted even beyond the maximum window', (t) => {
  // Alignment adds up to two quarters, and the limit may have been longer earlier.
  const limits = { ...LIMITS, windowMax: 30 * 60_000 }
  t.deepEqual(withReservation().when(extend(hours(1), { limits }), '05:01'), records())
  const earlier = withReservation().when(extend({ duration: 2700 }, { limits }), '05:01')
  t.deepEqual(whyRefused(earlier), ['invalid', 'end_not_later duration', 'window_too_long duration'])
})

test('refusals have a fixed order: invalid, not yours, cancelled, over or inactive, conflict', (t) => {
  const actor = tester(bob)
  const next = at('05:00', reservationCreated(idOf(2), '07:00', '08:00'))
  const code = (story: ReturnType<typeof given>, command: ExtendReservation) =>
    refusal(story.when(command, '05:02')).code
  t.is(code(withReservation(next, inactive), extend(asked('06:30'), { actor })), 'end_not_later')
  t.is(code(withReservation(next, inactive), extend(asked('07:30'), { actor })), 'not_your_reservation')
  const cancelled = withReservation(next, inactive, at('05:01', reservationCancelled(idOf(1))))
  t.is(code(cancelled, extend(asked('07:30'), { actor, documentStatus: 'cancelled' })), 'not_your_reservation')
  t.is(code(cancelled, extend(asked('07:30'), { documentStatus: 'cancelled' })), 'reservation_cancelled')
  t.is(code(withReservation(next, inactive), extend(asked('07:30'))), 'sut_inactive')
  t.is(code(withReservation(next), extend(asked('07:30'))), 'reservation_conflict')
})
