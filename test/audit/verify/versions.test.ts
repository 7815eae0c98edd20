import test from 'ava'
import { reservationReleased } from '../../domain/builders.ts'
import { type Entry, FIRST, findingsIn, finds, MORNING, made, of, upgraded } from './morning.ts'

/** Since version 2 of the log, windows never overlap as they were finally held. */

const second = (time: string): string => `2030-05-02T${time}+00:00`
const RELEASED: Entry = ['06:40', of(reservationReleased(FIRST, second('06:40:00')))]
const OVERLAPPING = made('06:41', 3, '06:30', '07:00')
const AFTER_RELEASE = made('06:41', 3, second('06:40:00'), '07:00')

test('before the upgrade, a window may overlap time held until a release in its quarter', async (t) => {
  t.deepEqual(await findingsIn([...MORNING, RELEASED, OVERLAPPING]), [])
  t.deepEqual(await findingsIn([...MORNING, RELEASED, OVERLAPPING, ['06:42', upgraded]]), [])
})

test('after the upgrade, such a window is found, even if the released one is older', async (t) => {
  await finds(t, /overlaps the reservation .*, which held the SUT until it was released/, [
    ['04:59', upgraded],
    ...MORNING,
    RELEASED,
    OVERLAPPING,
  ])
  await finds(t, /, which held the SUT until it was released/, [...MORNING, RELEASED, ['06:40', upgraded], OVERLAPPING])
})

test('a window after a release starts where it ended, otherwise on the grid', async (t) => {
  const log: readonly Entry[] = [...MORNING, RELEASED, ['06:40', upgraded]]
  t.deepEqual(await findingsIn([...log, AFTER_RELEASE]), [])
  await finds(t, /off the quarter-hour grid/, [...log, made('06:41', 3, second('06:40:01'), '07:00')])
  await finds(t, /off the quarter-hour grid/, [...MORNING, RELEASED, AFTER_RELEASE])
  await finds(t, /off the quarter-hour grid/, [...log, made('06:41', 3, second('06:55:00'), '07:00')])
})

test('of several releases in a quarter, the last one counts', async (t) => {
  const again: Entry = [
    '06:43',
    of(reservationReleased((AFTER_RELEASE[1].data as { _id: string })._id, second('06:43:00'))),
  ]
  const log: readonly Entry[] = [...MORNING, RELEASED, ['06:40', upgraded], AFTER_RELEASE, again]
  t.deepEqual(await findingsIn([...log, made('06:44', 4, second('06:43:00'), '06:45')]), [])
  const found = await findingsIn([...log, made('06:44', 4, second('06:40:00'), '06:45')])
  t.is(found.length, 2)
  t.regex(String(found[1]), /, which held the SUT until it was released/)
})

test('a repeated upgrade of a log is found', async (t) => {
  await finds(t, /upgrades from version 1 a log of version 2/, [['04:58', upgraded], ['04:59', upgraded], ...MORNING])
})
