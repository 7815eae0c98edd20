import test from 'ava'
import { sutDecider } from '../../../src/domain/sut/decide.ts'
import {
  bob,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationReleased,
  sutCreated,
  sutRetired,
  wall,
} from '../builders.ts'
import { at, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(sutDecider)
const created = at('05:00', sutCreated())
const retire = { type: 'RetireSut' as const }

test('a SUT without current or future reservations is retired with its port', (t) => {
  t.deepEqual(given(created).when(retire, '05:01'), records(sutRetired()))
  t.deepEqual(given(created, at('05:01', sutRetired())).when(retire, '05:02'), records(), 'already retired')
})

test('a SUT with current or future reservations cannot be retired; they are named by start', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '2030-05-02T09:00:00+02:00', '2030-05-02T08:00:00+00:00', bob)),
    at('05:00', reservationCreated(idOf(2), '06:00', '07:00')),
    at('05:00', reservationCreated(idOf(3), '05:00', '05:15')),
  )
  const { code, help } = refusal(story.when(retire, '06:59:59.999'))
  t.is(code, 'sut_reserved')
  const running = {
    _id: idOf(2),
    user_id: '590780914445534540190000',
    start_time: wall('06:00'),
    end_time: wall('07:00'),
  }
  const ahead = { _id: idOf(1), user_id: bob, start_time: wall('09:00', '+02:00'), end_time: wall('08:00') }
  t.deepEqual(help, { conflicts: [running, ahead] })
  t.deepEqual(refusal(story.when(retire, '07:00')).help, { conflicts: [ahead] })
  t.deepEqual(story.when(retire, '08:00'), records(sutRetired()), 'after the last one ends')
})

test('cancelled and released reservations do not prevent retirement', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '05:00', '07:00')),
    at('05:00', reservationCreated(idOf(2), '08:00', '09:00')),
    at('05:10', reservationReleased(idOf(1), '2030-05-02T05:10:00+00:00')),
    at('05:10', reservationCancelled(idOf(2))),
  )
  t.deepEqual(story.when(retire, '05:10'), records(sutRetired()))
})

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
