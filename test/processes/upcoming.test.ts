import test from 'ava'
import { makeUpcomingReservations } from '../../src/processes/upcoming.ts'
import {
  clock,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  wall,
} from '../domain/builders.ts'
import { fakeViews, rowOf } from './fake-views.ts'

const setting = (time: string) => {
  const { fake, views } = fakeViews()
  const machine = { now: clock(time) }
  const upcoming = makeUpcomingReservations({ views, clock: () => machine.now })
  const ids = (): readonly number[] => [...upcoming.all()].map(({ _id }) => Number.parseInt(_id, 16)).toSorted()
  return { fake, machine, upcoming, ids }
}

test('the reservations of the next half-hour are read, in pages', async (t) => {
  const { fake, upcoming, ids } = setting('06:00')
  fake.rows = Array.from({ length: 4_100 }, (_, n) => rowOf(idOf(n), '06:15', '06:30'))
  fake.rows.push(rowOf(idOf(5_000), '05:00', '06:00'), rowOf(idOf(5_001), '06:45', '08:00'))
  fake.rows.push(rowOf(idOf(5_002), '05:00', '05:45'))
  t.true(await upcoming.load())
  t.is(fake.pages, 3)
  t.is(ids().length, 4_101)
  t.false(ids().includes(5_001), 'it begins later')
  t.false(ids().includes(5_002), 'it is over')
})

test('what changes while the views are being read counts as it is then, also if a page cannot be read', async (t) => {
  const { fake, upcoming, ids } = setting('06:00')
  fake.rows = [rowOf(idOf(1), '06:15', '06:30'), rowOf(idOf(2), '06:15', '06:30'), rowOf(idOf(3), '05:45', '06:30')]
  fake.beforePage = () =>
    fake.tell(
      '06:00',
      reservationCancelled(idOf(1)),
      reservationExtended(idOf(2), wall('06:45')),
      reservationReleased(idOf(3), wall('06:00')),
      reservationCreated(idOf(4), '06:30', '06:45'),
    )
  fake.isReadable = false
  t.false(await upcoming.load())
  t.deepEqual(ids(), [4])
  fake.isReadable = true
  fake.beforePage = () => undefined
  t.true(await upcoming.load())
  t.deepEqual(ids(), [2, 4])
  t.is(upcoming.get(idOf(2))?.ends, clock('06:45'))
})

test('it is read ahead again after a quarter of an hour, and after a suspension from where it was read to', async (t) => {
  const { fake, upcoming, machine, ids } = setting('06:00')
  for (const [time, pages] of [
    ['06:00', 1],
    ['06:14:59.999', 1],
    ['06:15', 2],
    ['06:14', 2],
    ['06:13:59.999', 3],
  ] as const) {
    machine.now = clock(time)
    t.true(await upcoming.load())
    t.is(fake.pages, pages, time)
  }
  fake.rows = [rowOf(idOf(1), '06:30', '06:45'), rowOf(idOf(2), '06:00', '06:30')]
  machine.now = clock('09:00')
  await upcoming.load()
  t.deepEqual(ids(), [1], 'it ended meanwhile')
})
