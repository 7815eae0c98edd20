import test from 'ava'
import { reservationReleased } from '../../domain/builders.ts'
import { type Entry, FIRST, findingsIn, finds, MORNING, made, of, versionSet } from './morning.ts'

/** Windows never overlap as they were finally held. */

const second = (time: string): string => `2030-05-02T${time}+00:00`
const RELEASED: Entry = ['06:40', of(reservationReleased(FIRST, second('06:40:00')))]
const OVERLAPPING = made('06:41', 3, '06:30', '07:00')
const AFTER_RELEASE = made('06:41', 3, second('06:40:00'), '07:00')

test('a window that overlaps time held until a release is found', async (t) => {
  await finds(t, /another start_time than/, [...MORNING, RELEASED, OVERLAPPING])
})

test('a window after a release starts where it ended, otherwise on the grid', async (t) => {
  const log: readonly Entry[] = [...MORNING, RELEASED]
  t.deepEqual(await findingsIn([...log, AFTER_RELEASE]), [])
  await finds(t, /another start_time than/, [...log, made('06:41', 3, second('06:40:01'), '07:00')])
  await finds(t, /another start_time than/, [...log, made('06:41', 3, second('06:55:00'), '07:00')])
})

test('of several releases in a quarter, the last one counts', async (t) => {
  const again: Entry = [
    '06:43',
    of(reservationReleased((AFTER_RELEASE[1].data as { _id: string })._id, second('06:43:00'))),
  ]
  const log: readonly Entry[] = [...MORNING, RELEASED, AFTER_RELEASE, again]
  t.deepEqual(await findingsIn([...log, made('06:44', 4, second('06:43:00'), '06:45')]), [])
  const found = await findingsIn([...log, made('06:44', 4, second('06:40:00'), '06:45')])
  t.is(found.length, 1)
  t.regex(String(found[0]), /another start_time than/)
})

test('a version that a log has already is found', async (t) => {
  const twice: readonly Entry[] = [['04:58', versionSet], ['04:59', versionSet], ...MORNING]
  await finds(t, /sets the version 4 of a log that has version 4/, twice)
})
