import test from 'ava'
import { reservationExtended, reservationReleased, wall } from '../../domain/builders.ts'
import {
  began,
  type Entry,
  endedAt,
  FIRST,
  findingsIn,
  finds,
  MORNING,
  made,
  of,
  startedAt,
  updated,
} from './morning.ts'

/** The turnaround between windows, decided again from the log: the morning has 06:00 to 07:30 and 08:00 to 09:00. */

const raised = (time: string, minutes: number): Entry => [time, updated({ turnaround: minutes * 60 })]
const second = (time: string): string => `2030-05-02T${time}+00:00`

test('a window within the turnaround after another is found, also after a release and once its end is recorded', async (t) => {
  const log: readonly Entry[] = [...MORNING, raised('06:20', 30)]
  t.deepEqual(await findingsIn([...log, made('06:21', 3, '09:30', '10:00')]), [])
  await finds(t, /needs its turnaround/, [...log, made('06:21', 3, '09:15', '10:00')])
  const released: Entry = ['06:40:01', of(reservationReleased(FIRST, second('06:40:01')))]
  t.deepEqual(await findingsIn([...log, released, made('06:41', 3, '07:15', '07:30')]), [])
  await finds(t, /needs its turnaround/, [...log, released, made('06:41', 3, '07:00', '07:15')])
  const ended: readonly Entry[] = [
    ['04:58', began('04:58')],
    ...[...MORNING, raised('06:20', 15)],
    ['06:21', startedAt(FIRST, '06:00')],
    ['07:30', endedAt(FIRST, '07:30')],
  ]
  await finds(t, /needs its turnaround/, [...ended, made('07:31', 3, '07:30', '07:45')])
})

test('a window that leaves no turnaround before another is found, as is an extension', async (t) => {
  const log: readonly Entry[] = [...MORNING, raised('06:20', 15)]
  t.deepEqual(await findingsIn([...log, ['06:21', of(reservationExtended(FIRST, wall('07:45')))]]), [])
  const late: Entry = ['06:21', of(reservationExtended(FIRST, wall('08:00')))]
  await finds(t, /needs its turnaround/, [...log, late])
  const twice: readonly Entry[] = [...log, made('06:21', 3, '10:00', '11:00')]
  t.deepEqual(await findingsIn([...twice, made('06:22', 4, '09:15', '09:45')]), [])
  await finds(t, /needs its turnaround/, [...twice, made('06:22', 4, '09:15', '10:00')])
})

test('what was reserved before a turnaround was raised is sound', async (t) => {
  t.deepEqual(await findingsIn([...MORNING, made('06:19', 3, '07:30', '08:00'), raised('06:20', 60)]), [])
})

test('a turnaround set to the one that a SUT has is found', async (t) => {
  await finds(t, /SutUpdated without an effect/, [...MORNING, raised('06:20', 0)])
  await finds(t, /SutUpdated without an effect/, [...MORNING, raised('06:20', 15), raised('06:21', 15)])
})
