import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  idOf,
  type Reserving,
  reservationCreated,
  reservationEnded,
  reservationStarted,
  SUT_ID,
  sutCreated,
  sutRetired,
} from '../builders.ts'
import { at, records, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
const made = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'))
const due = (time: string): string => `2030-05-02T${time}Z`
const started = at('06:00', reservationStarted(idOf(1), due('06:00:00.000')))
const advance = (): Reserving<'AdvanceSchedule'> => ({ type: 'AdvanceSchedule', sut_id: SUT_ID })

test('a start is recorded once, from the millisecond it is due', (t) => {
  t.deepEqual(given(created, made).when(advance(), '05:59:59.999'), records())
  const start = records(reservationStarted(idOf(1), due('06:00:00.000')))
  t.deepEqual(given(created, made).when(advance(), '06:00'), start)
  t.deepEqual(given(created, made).when(advance(), '06:59'), start)
  t.deepEqual(given(created, made, started).when(advance(), '06:59:59.999'), records())
})

test('an end is recorded once, from the millisecond it is due, and after the start', (t) => {
  const end = reservationEnded(idOf(1), due('07:00:00.000'))
  t.deepEqual(given(created, made, started).when(advance(), '07:00'), records(end))
  t.deepEqual(given(created, made, started, at('07:00', end)).when(advance(), '09:00'), records())
  const late = records(reservationStarted(idOf(1), due('06:00:00.000')))
  t.deepEqual(given(created, made).when(advance(), '09:00'), late, 'after a downtime, the start comes first')
})

test('starts and ends of several reservations are recorded in order after a downtime', (t) => {
  const past = [created, made, at('05:00', reservationCreated(idOf(2), '07:00', '08:00'))]
  const recorded: string[] = []
  for (;;) {
    const decided = given(...past).when(advance(), '09:00')
    if (!('right' in decided) || decided.right.length === 0) break
    for (const event of decided.right) {
      past.push(at('09:00', event))
      recorded.push(`${event.type} ${'due' in event.data ? event.data.due : ''}`)
    }
  }
  t.deepEqual(recorded, [
    'ReservationStarted 2030-05-02T06:00:00.000Z',
    'ReservationEnded 2030-05-02T07:00:00.000Z',
    'ReservationStarted 2030-05-02T07:00:00.000Z',
    'ReservationEnded 2030-05-02T08:00:00.000Z',
  ])
})

test('an end is recorded also once the SUT has been retired', (t) => {
  const retired = at('07:30', sutRetired())
  const end = records(reservationEnded(idOf(1), due('07:00:00.000')))
  t.deepEqual(given(created, made, started, retired).when(advance(), '07:30'), end)
})

test('after a downtime of more than a month, what ended a month ago is not recorded', (t) => {
  t.deepEqual(given(created, made).when(advance(), '2030-06-02T07:00:00Z'), records())
  const start = records(reservationStarted(idOf(1), due('06:00:00.000')))
  t.deepEqual(given(created, made).when(advance(), '2030-06-02T06:59:59.999Z'), start)
})

test('an end that was never recorded leaves the state after a month', (t) => {
  const later = at(
    '2030-06-02T07:00:00Z',
    reservationCreated(idOf(2), '2030-06-03T07:00:00+00:00', '2030-06-03T08:00:00+00:00'),
  )
  t.deepEqual(given(created, made, started, later).when(advance(), '2030-06-02T08:00:00Z'), records())
})
