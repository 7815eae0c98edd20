import test from 'ava'
import { EMPTY } from '../../../src/domain/calendar/calendar.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { lengthOf } from '../../../src/domain/values/sorted-list.ts'
import {
  bob,
  createReservation,
  explicit,
  idOf,
  reservationCreated,
  sutCreated,
  sutCreationAbandoned,
  sutRetired,
  sutUpdated,
  tester,
} from '../builders.ts'
import { at, decided, refusal, stories, whyRefused } from '../given-when-then.ts'

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
  t.is(code(given(), others, explicit('06:00', '06:00')), 'window_empty')
  t.is(code(given(), others), 'not_your_reservation')
  t.is(code(given(), { userExists: false }), 'sut_not_found')
  t.is(code(given(created, inactive, at('05:01', sutRetired())), { userExists: false }), 'user_not_found')
  t.is(code(given(created, inactive, at('05:01', sutRetired()))), 'sut_retired')
  t.is(code(given(created, taken, inactive)), 'sut_inactive')
  t.is(code(given(created, taken)), 'reservation_conflict')
})

test('a clock set back causes no double booking, as past windows cannot be requested and a state keeps them for a month', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '06:00', '06:15')),
    at('06:20', sutUpdated({ name: 'new name' })),
  )
  t.is(lengthOf(story.state.windows), 1, 'until its end is recorded, or for a month')
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
  t.deepEqual(later.state.windows, EMPTY)
  const control = decided(later.when(reserve(explicit('06:00', '06:15')), '05:30'))
  t.is(control.type, 'ReservationCreated', 'by the clock alone, the window would be booked twice')
})
