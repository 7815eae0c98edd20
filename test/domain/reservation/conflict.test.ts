import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { createReservation, explicit, idOf, reservationCreated, sutCreated } from '../builders.ts'
import { at, refusal, stories } from '../given-when-then.ts'

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
