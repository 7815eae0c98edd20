import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { ExtendReservation } from '../../../src/domain/reservation/extend.ts'
import {
  administrator,
  alice,
  asked,
  bob,
  idOf,
  LIMITS,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  sutCreated,
  sutRetired,
  sutUpdated,
  tester,
  wall,
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

test('a reservation is extended to a later end, in the requested offset', (t) => {
  const to = (end_time: string) => records(reservationExtended(idOf(1), end_time))
  t.deepEqual(withReservation().when(extend(asked('07:15', 60)), '05:01'), to(wall('08:15', '+01:00')))
  t.deepEqual(withReservation().when(extend(asked('07:00:01')), '05:01'), to(wall('07:15')), 'on the grid')
  t.deepEqual(withReservation().when(extend(asked('07:00', 0, 1n)), '05:01'), to(wall('07:15')), 'by a nanosecond')
  t.deepEqual(withReservation().when(extend(asked('08:00')), '06:59:59.999'), to(wall('08:00')), 'while it runs')
})

test('an extension by duration counts from the start and keeps the offset of the old end', (t) => {
  const to = (end_time: string) => records(reservationExtended(idOf(1), end_time))
  t.deepEqual(withReservation().when(extend(hours(2)), '05:01'), to(wall('04:30', '-03:30')))
  t.deepEqual(withReservation().when(extend({ duration: 3601 }), '05:01'), to(wall('03:45', '-03:30')))
  const extended = withReservation(at('05:01', reservationExtended(idOf(1), wall('09:30', '+02:00'))))
  t.deepEqual(extended.when(extend(hours(2)), '05:02'), to(wall('10:00', '+02:00')))
})

test('an extension by seconds counts from the end that stands, each time, and keeps its offset', (t) => {
  const extended = at('05:01', reservationExtended(idOf(1), wall('09:30', '+02:00')))
  t.deepEqual(
    withReservation().when(extend({ by: 1 }), '05:01'),
    records(reservationExtended(idOf(1), wall('03:45', '-03:30'))),
  )
  const twice = withReservation(extended).when(extend({ by: 1_800 }), '05:02')
  t.deepEqual(twice, records(reservationExtended(idOf(1), wall('10:00', '+02:00'))))
  const tooLong = withReservation().when(extend({ by: 8 * 86_400 }), '05:01')
  t.deepEqual(whyRefused(tooLong), ['window_too_long', 'window_too_long by'])
})

test('extending to the current end records nothing', (t) => {
  t.deepEqual(withReservation().when(extend(asked('07:00')), '05:01'), records())
  t.deepEqual(withReservation().when(extend(asked('07:00', 345)), '05:01'), records(), 'in any offset')
  t.deepEqual(withReservation().when(extend(asked('06:46')), '05:01'), records(), 'compared on the grid')
  t.deepEqual(withReservation().when(extend(hours(1)), '05:01'), records())
  t.deepEqual(
    withReservation(inactive).when(extend(hours(1)), '05:02'),
    records(),
    'even if an extension would be refused',
  )
})

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

test('a conflict in the added time is named with the latest possible end, in the requested offset', (t) => {
  const story = withReservation(
    at('05:00', reservationCreated(idOf(2), '08:00', '09:00', bob)),
    at('05:00', reservationCreated(idOf(3), '09:00', '10:00')),
  )
  const two = { _id: idOf(2), user_id: bob, start_time: wall('08:00'), end_time: wall('09:00') }
  const three = { _id: idOf(3), user_id: alice, start_time: wall('09:00'), end_time: wall('10:00') }
  const refused = refusal(story.when(extend(asked('08:00:01', 120)), '05:01'))
  t.is(refused.code, 'reservation_conflict')
  t.deepEqual(refused.help, { conflicts: [two], extendable_until: wall('10:00', '+02:00') })
  const byDuration = refusal(story.when(extend(hours(4)), '05:01'))
  t.deepEqual(byDuration.help, { conflicts: [two, three], extendable_until: wall('04:30', '-03:30') })
  const possible = records(reservationExtended(idOf(1), wall('10:00', '+02:00')))
  t.deepEqual(story.when(extend(asked('08:00', 120)), '05:01'), possible, 'that end is possible')
})

test('extendable_until is null if the next reservation starts at the end', (t) => {
  const story = withReservation(at('05:00', reservationCreated(idOf(2), '07:00', '08:00', bob)))
  const { code, help } = refusal(story.when(extend(asked('07:15')), '05:01'))
  t.is(code, 'reservation_conflict')
  t.is(help?.extendable_until, null)
})

test('a past, released or cancelled reservation cannot be extended', (t) => {
  const later = extend(asked('08:00'))
  t.is(refusal(withReservation().when(later, '07:00')).code, 'reservation_over')
  t.is(refusal(withReservation(at('07:30', sutRetired())).when(later, '07:30')).code, 'reservation_over')
  const released = withReservation(at('06:10', reservationReleased(idOf(1), wall('06:10'))))
  t.is(refusal(released.when({ ...later, documentStatus: 'released' }, '06:11')).code, 'reservation_over')
  const cancelled = withReservation(at('05:01', reservationCancelled(idOf(1))))
  t.is(refusal(cancelled.when({ ...later, documentStatus: 'cancelled' }, '05:02')).code, 'reservation_cancelled')
})

test('extensions on an inactive SUT are refused', (t) => {
  t.is(refusal(withReservation(inactive).when(extend(asked('08:00')), '05:02')).code, 'sut_inactive')
})

test('a tester can extend only its own reservations, an administrator any', (t) => {
  const later = extend(asked('08:00'))
  t.is(refusal(withReservation().when({ ...later, actor: tester(bob) }, '05:01')).code, 'not_your_reservation')
  const possible = records(reservationExtended(idOf(1), wall('08:00')))
  t.deepEqual(withReservation().when({ ...later, actor: administrator }, '05:01'), possible)
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

test('extending on a missing SUT is refused', (t) => {
  t.is(refusal(given().when(extend(hours(2)), '05:00')).code, 'sut_not_found')
})
