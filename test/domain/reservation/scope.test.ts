import test from 'ava'
import { type ReservationCommand, reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  alice,
  asked,
  bob,
  clock,
  createReservation,
  explicit,
  idOf,
  LIMITS,
  reservationCreated,
  sutCreated,
  sutRetired,
  sutUpdated,
  tester,
} from '../builders.ts'
import { at, decided, type Past, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)

const SCOPE = { team: 'qa1', rack: '4' }
const created = at('05:00', sutCreated())
const inside = at('05:01', sutUpdated({ tags: { team: 'qa1', rack: '4', os: 'nt' } }))
const outside = at('05:02', sutUpdated({ tags: { rack: '5' } }))
const busy = at('05:03', reservationCreated(idOf(1), '06:00', '07:00', bob))

const create = (start = '06:00', end = '07:00', more = {}) =>
  createReservation(explicit(start, end), { actor: tester(alice), scope: SCOPE, ...more })
const own = (type: 'CancelReservation' | 'BindReservation') =>
  ({ type, actor: tester(alice), _id: idOf(2), user_id: alice, documentStatus: 'made', client: 'k.hash' }) as const
const extension: ReservationCommand = {
  ...{ type: 'ExtendReservation', actor: tester(alice), _id: idOf(2), user_id: alice, documentStatus: 'made' },
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
