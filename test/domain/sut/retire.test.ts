import test from 'ava'
import { sutDecider } from '../../../src/domain/sut/decide.ts'
import { idOf, reservationCreated, sutCreated } from '../builders.ts'
import { at, refusal, stories } from '../given-when-then.ts'

const { given } = stories(sutDecider)
const created = at('05:00', sutCreated())
const retire = { type: 'RetireSut' as const }

test('a refused retirement names at most the first hundred reservations', (t) => {
  const days = Array.from({ length: 101 }, (_, i) => new Date(Date.UTC(2030, 5, 1 + i)).toISOString().slice(0, 10))
  const ahead = days.map((day, i) =>
    at('05:00', reservationCreated(idOf(i), `${day}T06:00:00+00:00`, `${day}T07:00:00+00:00`)),
  )
  const { help } = refusal(given(created, ...ahead.reverse()).when(retire, '05:01'))
  t.deepEqual(
    help?.conflicts?.map(({ _id }) => _id),
    days.slice(0, 100).map((_, i) => idOf(i)),
  )
})
