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
  const told: string[] = []
  upcoming.observe((id, reservation) => {
    told.push(
      `${Number.parseInt(id, 16)} ${reservation === undefined ? 'gone' : new Date(reservation.ends).toISOString().slice(11, 16)}`,
    )
  })
  const ids = (): readonly number[] => [...upcoming.all()].map(({ _id }) => Number.parseInt(_id, 16)).toSorted()
  return { fake, machine, upcoming, told, ids }
}

test('the reservations of the next half-hour are read, in pages, each once', async (t) => {
  const { fake, upcoming, told, ids } = setting('06:00')
  fake.rows = Array.from({ length: 4_100 }, (_, n) => rowOf(idOf(n), '06:15', '06:30', n))
  fake.rows.push(rowOf(idOf(5_000), '05:00', '06:00', 5_000), rowOf(idOf(5_001), '06:45', '08:00', 5_001))
  fake.rows.push(rowOf(idOf(5_002), '05:00', '05:45', 5_002))
  t.true(await upcoming.load())
  t.is(fake.pages, 3)
  t.is(new Set(told).size, 4_101)
  t.is(told.length, 4_101)
  t.false(ids().includes(5_001), 'it begins later')
  t.false(ids().includes(5_002), 'it is over')
})

test('events while the views are being read are applied on top of what was read', async (t) => {
  const { fake, upcoming, ids } = setting('06:00')
  fake.rows = [
    rowOf(idOf(1), '06:15', '06:30', 1),
    rowOf(idOf(2), '06:15', '06:30', 2),
    rowOf(idOf(3), '05:45', '06:30', 3),
  ]
  fake.beforePage = () =>
    fake.tell(
      '06:00',
      reservationCancelled(idOf(1)),
      reservationExtended(idOf(2), wall('06:45')),
      reservationReleased(idOf(3), wall('06:00')),
      reservationCreated(idOf(4), '06:30', '06:45'),
    )
  t.true(await upcoming.load())
  t.deepEqual(ids(), [2, 4])
  t.is(upcoming.get(idOf(2))?.ends, clock('06:45'))
})

test('a read that fails half-way leaves nothing that was cancelled meanwhile', async (t) => {
  const { fake, upcoming, ids } = setting('06:00')
  fake.rows = Array.from({ length: 2_001 }, (_, n) => rowOf(idOf(n), '06:15', '06:30', n))
  fake.beforePage = (page) => {
    if (page === 0) fake.tell('06:00', reservationCancelled(idOf(7)))
    else fake.isReadable = false
  }
  t.false(await upcoming.load())
  t.false(ids().includes(7))
  t.is(upcoming.completeSince(), undefined)
  t.true(upcoming.isLoadDue())
})

test('changes are reported as they happen, also of a reservation made after its start', async (t) => {
  const { fake, upcoming, told } = setting('06:00')
  await upcoming.load()
  fake.tell('06:02:51.400', reservationCreated(idOf(1), '06:00', '06:15'))
  t.is(upcoming.get(idOf(1))?.begins, clock('06:02:51.400'))
  fake.tell('06:03', reservationExtended(idOf(1), wall('06:30')))
  fake.tell('06:04', reservationReleased(idOf(1), wall('06:04')))
  fake.tell('06:05', reservationCreated(idOf(2), '09:00', '09:15'), reservationExtended(idOf(2), wall('09:30')))
  t.deepEqual(told, ['1 06:15', '1 06:30', '1 gone'])
  t.deepEqual([...upcoming.all()], [])
})

test('it is time to read ahead after a quarter of an hour, and when the clock was set back by more than a minute', async (t) => {
  const { upcoming, machine } = setting('06:00')
  t.true(upcoming.isLoadDue())
  await upcoming.load()
  t.false(upcoming.isLoadDue())
  machine.now = clock('06:14:59.999')
  t.false(upcoming.isLoadDue())
  machine.now = clock('06:15')
  t.true(upcoming.isLoadDue())
  machine.now = clock('05:59')
  t.false(upcoming.isLoadDue())
  machine.now = clock('05:58:59.999')
  t.true(upcoming.isLoadDue())
})

test('reports are complete since the last gap between two reads', async (t) => {
  const { upcoming, machine } = setting('06:00')
  for (const [time, since] of [
    ['06:00', '06:00'],
    ['06:15', '06:00'],
    ['06:45', '06:00'],
    ['07:15:00.001', '07:15:00.001'],
    ['07:00', '07:15:00.001'],
  ] as const) {
    machine.now = clock(time)
    await upcoming.load()
    t.is(upcoming.completeSince(), clock(since), time)
  }
})
