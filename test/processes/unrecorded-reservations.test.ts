import test from 'ava'
import { followUnrecorded } from '../../src/processes/unrecorded-reservations.ts'
import { makeUpcomingReservations } from '../../src/processes/upcoming.ts'
import {
  clock,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationEnded,
  reservationExtended,
  reservationStarted,
  wall,
} from '../domain/builders.ts'
import { fakeViews, rowOf } from './fake-views.ts'

const setting = async ({ from = '05:00', waitingMax = 10 } = {}) => {
  const { fake, views } = fakeViews()
  fake.rows = [rowOf(idOf(1), '06:15', '06:30', 1), rowOf(idOf(2), '05:45', '06:30', 2)]
  const upcoming = makeUpcomingReservations({ views, clock: () => clock('06:00') })
  const unrecorded = followUnrecorded({ upcoming, views, from: clock(from), waitingMax })
  await upcoming.load()
  const due = (time: string) => unrecorded.takeDue(clock(time)).map((id) => Number.parseInt(id, 16))
  return { fake, upcoming, due, ...unrecorded }
}

test('a reservation is due at its start and, once that is recorded, at its end', async (t) => {
  const { fake, due } = await setting()
  t.deepEqual(due('06:00'), [2])
  fake.tell('06:00', reservationStarted(idOf(2), wall('05:45')))
  t.deepEqual(due('06:14:59.999'), [])
  t.deepEqual(due('06:15'), [1])
  fake.tell('06:15', reservationStarted(idOf(1), wall('06:15')))
  t.deepEqual(due('06:29:59.999'), [])
  t.deepEqual(due('06:30').toSorted(), [1, 2])
})

test('a reservation that another instance recorded, or that was cancelled, is not due', async (t) => {
  const { fake, due } = await setting()
  fake.tell('06:00', reservationStarted(idOf(2), wall('05:45')), reservationEnded(idOf(2), wall('06:30')))
  fake.tell('06:00', reservationCancelled(idOf(1)))
  t.deepEqual(due('09:00'), [])
})

test('an extension moves the end', async (t) => {
  const { fake, due } = await setting()
  fake.tell('06:00', reservationStarted(idOf(2), wall('05:45')), reservationCancelled(idOf(1)))
  fake.tell('06:01', reservationExtended(idOf(2), wall('07:00')))
  t.deepEqual(due('06:59:59.999'), [])
  t.deepEqual(due('07:00'), [2])
})

test('a reservation that began before the schedule is due only at its end', async (t) => {
  const { due } = await setting({ from: '06:00' })
  t.deepEqual(due('06:00'), [])
  t.deepEqual(due('06:30'), [1, 2])
})

test('reservations beyond the limit require a catch-up once they have ended, until all have', async (t) => {
  const { fake, takeOverflow } = await setting({ waitingMax: 2 })
  t.false(takeOverflow(clock('09:00')), 'all are kept')
  fake.tell('06:00', reservationCreated(idOf(3), '06:15', '06:30'), reservationCreated(idOf(4), '06:30', '06:45'))
  t.false(takeOverflow(clock('06:29:59.999')))
  t.true(takeOverflow(clock('06:30')))
  t.false(takeOverflow(clock('06:30:59.999')))
  t.true(takeOverflow(clock('06:31')))
  t.true(takeOverflow(clock('06:45')))
  t.false(takeOverflow(clock('09:00')))
})
