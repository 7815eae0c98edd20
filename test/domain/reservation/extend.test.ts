import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { ExtendReservation } from '../../../src/domain/reservation/extend.ts'
import { alice, asked, idOf, LIMITS, reservationCreated, reservationExtended, sutCreated, tester } from '../builders.ts'
import { at, records, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
/** 06:00 to 07:00 UTC. */
const made = at('05:00', reservationCreated(idOf(1), '2030-05-02T08:00:00+02:00', '2030-05-02T03:30:00-03:30'))
const story = given(created, made)

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

test('an extended reservation is limited to the maximum window, measured from its start as requested', (t) => {
  const week = 7 * 86_400
  t.deepEqual(
    story.when(extend({ duration: week }), '05:01'),
    records(reservationExtended(idOf(1), '2030-05-09T02:30:00-03:30')),
  )
  const longer = story.when(extend({ duration: week + 1 }), '05:01')
  t.deepEqual(whyRefused(longer), ['window_too_long', 'window_too_long duration'])
  const past = story.when(extend(asked('2030-05-09T06:00:00Z', 0, 1n)), '05:01')
  t.deepEqual(whyRefused(past), ['window_too_long', 'window_too_long end_time'])
})

test('extending to the current end is accepted even beyond the maximum window', (t) => {
  // Alignment adds up to two quarters, and the limit may have been longer earlier.
  const limits = { ...LIMITS, windowMax: 30 * 60_000 }
  t.deepEqual(story.when(extend(hours(1), { limits }), '05:01'), records())
  const earlier = story.when(extend({ duration: 2700 }, { limits }), '05:01')
  t.deepEqual(whyRefused(earlier), ['invalid', 'end_not_later duration', 'window_too_long duration'])
})
