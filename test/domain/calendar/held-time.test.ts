/** Windows, as they were finally held, never overlap. */

import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  alice,
  createReservation,
  explicit,
  idOf,
  reservationCreated,
  reservationReleased,
  sutCreated,
  sutUpdated,
  wall,
} from '../builders.ts'
import { at, decided, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const second = (time: string): string => `2030-05-02T${time}+00:00`
const created = at('18:00', sutCreated())
const held = at('18:20', reservationCreated(idOf(1), '18:15', '19:00'))
const released = at('18:40:01.300', reservationReleased(idOf(1), second('18:40:02')))

const windowOf = (...[decision]: Parameters<typeof decided>): readonly [string, string] => {
  const event = decided(decision)
  if (event.type !== 'ReservationCreated') throw new Error(event.type)
  return [event.data.start_time.slice(11, 19), event.data.end_time.slice(11, 19)]
}
const fromNow = (duration: number) => createReservation({ form: 'relative', startIn: 0, duration })

test('after a release at 18:40:02, a reservation for now starts then and ends on the grid', (t) => {
  const story = given(created, held, released)
  t.deepEqual(windowOf(story.when(fromNow(600), '18:41')), ['18:40:02', '19:00:00'])
  t.deepEqual(windowOf(story.when(fromNow(60), '18:41')), ['18:40:02', '18:45:00'])
  t.deepEqual(windowOf(story.when(createReservation(explicit('18:31', '18:44')), '18:41')), ['18:40:02', '18:45:00'])
})

test('if no time is left in the quarter, its released reservation conflicts and the next quarter is offered', (t) => {
  const story = given(created, held, at('18:44:59.100', reservationReleased(idOf(1), wall('18:45'))))
  const { code, help } = refusal(story.when(createReservation(explicit('18:40', '18:45')), '18:44:59.200'))
  t.is(code, 'reservation_conflict')
  t.deepEqual(help, {
    conflicts: [{ _id: idOf(1), user_id: alice, start_time: wall('18:15'), end_time: wall('18:45') }],
    free_until: null,
    next_available: { start_time: wall('18:45'), end_time: wall('19:00') },
  })
  t.deepEqual(windowOf(story.when(fromNow(1), '18:44:59.200')), ['18:45:00', '19:00:00'])
})

test('time already held under a fast clock is not booked again when it comes', (t) => {
  const ahead = [
    at('21:00', reservationCreated(idOf(2), '21:00', '21:30')),
    at('21:07:10.500', reservationReleased(idOf(2), second('21:07:11'))),
  ]
  const story = given(created, held, released, ...ahead)
  t.deepEqual(windowOf(story.when(fromNow(60), '18:41')), ['18:40:02', '18:45:00'], 'and earlier releases still count')
  t.deepEqual(windowOf(story.when(createReservation(explicit('21:00', '21:15')), '18:41')), ['21:07:11', '21:15:00'])
  const { help } = refusal(story.when(createReservation(explicit('20:45', '21:15')), '18:41'))
  t.deepEqual(
    help?.conflicts?.map(({ _id, start_time }) => [_id, start_time]),
    [[idOf(2), wall('21:00')]],
  )
  t.is(help?.free_until, wall('21:00'))
  t.deepEqual(help?.next_available, { start_time: second('21:07:11'), end_time: wall('21:30') })
})

test('of what is over, the last before the current quarter-hour is kept, and all since then', (t) => {
  const stays = [1, 2, 3, 4].flatMap((n) => [
    at(`0${n}:00`, reservationCreated(idOf(n), `0${n}:00`, `0${n}:30`)),
    at(`0${n}:10`, reservationReleased(idOf(n), wall(`0${n}:10`))),
  ])
  const keptAt = (time: string): readonly string[] => {
    const { state } = given(at('00:30', sutCreated()), ...stays, at(time, sutUpdated({ model: 'swift' })))
    return state.windows.flat().map(({ _id }) => _id)
  }
  t.deepEqual([keptAt('04:11'), keptAt('04:15')], [[idOf(3), idOf(4)], [idOf(4)]])
})
