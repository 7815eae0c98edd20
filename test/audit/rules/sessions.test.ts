import test from 'ava'
import { reservationReleased, wall } from '../../domain/builders.ts'
import { closedSession, type Entry, FIRST, findingsIn, MORNING, of, openedSession, retired } from '../verify/morning.ts'
import { SESSIONS } from './unlawful.ts'

const released: Entry = ['06:30', of(reservationReleased(FIRST, wall('06:30')))]

test('sessions have no findings, however late they are recorded', async (t) => {
  const late = openedSession(3, '06:20')
  const elsewhere = openedSession(4, '06:21', { instance: 'fedcba9876543210' })
  const ends: readonly (readonly Entry[])[] = [
    [],
    [['06:20', closedSession(openedSession(2, '06:15'), '06:15')]],
    [released, ['06:31', closedSession(openedSession(2, '06:15'), '06:30')]],
    [['06:21', elsewhere], released, ['06:31', closedSession(elsewhere, '06:21', { cause: 'lost' })]],
    [
      ['09:10', retired],
      ['11:00', closedSession(openedSession(2, '06:15'), '06:19')],
      ['11:00', late],
      ['11:00', closedSession(late, '06:30')],
    ],
  ]
  for (const end of ends) t.deepEqual(await findingsIn([...MORNING, ...SESSIONS, ...end]), [])
})

test('what is said of the reservations of a damaged stream is not held against sessions', async (t) => {
  const found = await findingsIn([...MORNING, ...SESSIONS], (events) =>
    events.filter(({ type }) => type !== 'ReservationCreated'),
  )
  t.false(found.some((what) => what.includes('which does not exist')))
})
