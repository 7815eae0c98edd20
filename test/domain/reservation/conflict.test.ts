import test from 'ava'
import type { Failure } from '../../../src/domain/failure.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { createReservation, explicit, idOf, reservationCreated, sutCreated } from '../builders.ts'
import { at, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
const reserve = createReservation

const conflictIds = (failure: Failure) => failure.help?.conflicts?.map(({ _id }) => _id)

test('a window is refused if it overlaps by one quarter on the grid', (t) => {
  const story = given(created, at('05:00', reservationCreated(idOf(1), '06:15', '06:45')))
  for (const [start, end] of [
    ['06:00', '06:15:01'],
    ['06:44:59', '07:00'],
    ['06:00', '07:00'],
    ['06:30', '06:45'],
  ] as const) {
    t.deepEqual(conflictIds(refusal(story.when(reserve(explicit(start, end)), '05:01'))), [idOf(1)], `${start} ${end}`)
  }
})

test('a refusal names at most the first hundred conflicts, by start', (t) => {
  const count = 120
  const quarter = (i: number) => new Date(Date.UTC(2030, 4, 3) + i * 900_000).toISOString().replace('.000Z', '+00:00')
  const taken = Array.from({ length: count }, (_, i) =>
    at('05:00', reservationCreated(idOf(i), quarter(i), quarter(i + 1))),
  )
  const wanted = explicit(quarter(10), quarter(count))
  const failure = refusal(given(created, ...taken.reverse()).when(reserve(wanted), '05:01'))
  t.deepEqual(
    conflictIds(failure),
    Array.from({ length: 100 }, (_, i) => idOf(i + 10)),
  )
  t.is(failure.help?.next_available?.start_time, quarter(count))
})
