import test from 'ava'
import { bob, reservationCancelled, reservationReleased, wall } from '../../domain/builders.ts'
import {
  BEGINNING,
  began,
  type Entry,
  endedAt,
  FIRST,
  findingsIn,
  finds,
  idAt,
  MORNING,
  made,
  of,
  retired,
  SUT,
  startedAt,
} from '../verify/morning.ts'

/** Starts and ends in a log, decided again. */

const SECOND = idAt('05:21', 2)
const [HEAD, TAIL] = [BEGINNING, MORNING.slice(BEGINNING.length)]
/** The morning, with a schedule that began at 05:15. */
const SCHEDULED: readonly Entry[] = [...HEAD, ['05:15', began('05:15')], ...TAIL.slice(0, 2)]
const START: Entry = ['06:00', startedAt(FIRST, '06:00')]
const RUNNING: readonly Entry[] = [...SCHEDULED, START, ...TAIL.slice(2)]
const END: Entry = ['07:30', endedAt(FIRST, '07:30')]

test('starts and ends in time, late, and of a released or cancelled reservation have no findings', async (t) => {
  const whole: readonly Entry[] = [
    ...RUNNING,
    END,
    ['08:00', startedAt(SECOND, '08:00', bob)],
    ['09:00', endedAt(SECOND, '09:00', bob)],
  ]
  const late: readonly Entry[] = [
    ...RUNNING,
    ['11:00', endedAt(FIRST, '07:30')],
    ['11:00', startedAt(SECOND, '08:00', bob)],
    ['11:00', endedAt(SECOND, '09:00', bob)],
  ]
  const broken: readonly Entry[] = [
    ...RUNNING,
    ['06:30', of(reservationReleased(FIRST, wall('06:30')))],
    ['06:31', of(reservationCancelled(SECOND, bob))],
  ]
  const made_late: readonly Entry[] = [
    ...HEAD,
    ['05:15', began('05:15')],
    made('05:20', 1, '05:15', '06:00'),
    ['05:20', startedAt(FIRST, '05:20')],
    ['06:00', endedAt(FIRST, '06:00')],
  ]
  const afterRetiring: readonly Entry[] = [...RUNNING, ['10:00', retired], ['10:01', endedAt(FIRST, '07:30')]]
  const began_later: readonly Entry[] = [...MORNING, ['06:20', began('06:20')], END]
  for (const log of [whole, late, broken, made_late, afterRetiring, began_later]) t.deepEqual(await findingsIn(log), [])
})

test('control: a SUT is reserved for a time that its last, unrecorded reservation no longer holds', async (t) => {
  t.deepEqual(await findingsIn([...RUNNING, made('07:31', 3, '07:30', '07:45')]), [])
  await finds(t, /reservation_conflict/, [...RUNNING, made('07:29', 3, '07:15', '07:45')])
})

/** A valid log, an event that is invalid after it, and the finding. */
const INVALID: readonly (readonly [what: string, log: readonly Entry[], entry: Entry, expected: RegExp])[] = [
  ['a second start', RUNNING, ['06:20', startedAt(FIRST, '06:00')], /without an effect/],
  ['a second end', [...RUNNING, END], ['07:31', endedAt(FIRST, '07:30')], /without an effect/],
  ['a start after the end', [...RUNNING, END], ['07:31', startedAt(FIRST, '06:00')], /without an effect/],
  ['a start before it is due', SCHEDULED, ['05:59', startedAt(FIRST, '06:00')], /without an effect/],
  ['an end before it is due', RUNNING, ['07:29', endedAt(FIRST, '07:30')], /without an effect/],
  ['a start due at another time', SCHEDULED, ['06:01', startedAt(FIRST, '06:01')], /another due/],
  ['an end due at its former end', RUNNING, ['07:31', endedAt(FIRST, '07:00')], /another due/],
  [
    'an end without a start',
    [...SCHEDULED, ...TAIL.slice(2)],
    ['07:30', endedAt(FIRST, '07:30')],
    /then is a ReservationStarted/,
  ],
  ['a start without a schedule', MORNING, ['06:20', startedAt(FIRST, '06:00')], /comes before the schedule began/],
  [
    'a start from before the schedule began',
    [...MORNING, ['06:20', began('06:20')]],
    ['06:21', startedAt(FIRST, '06:00')],
    /without an effect/,
  ],
  [
    'a start of a cancelled reservation',
    [...RUNNING, ['06:20', of(reservationCancelled(SECOND, bob))]],
    ['08:00', startedAt(SECOND, '08:00', bob)],
    /then is a ReservationEnded/,
  ],
  [
    'an end of a released reservation',
    [...RUNNING, ['06:20', of(reservationReleased(FIRST, wall('06:20')))]],
    ['07:30', endedAt(FIRST, '07:30')],
    /without an effect/,
  ],
  ['a start out of order', RUNNING, ['08:00', startedAt(SECOND, '08:00', bob)], /then is a ReservationEnded/],
  ['a start for another user', SCHEDULED, ['06:00', startedAt(FIRST, '06:00', bob)], /another user_id/],
  ['a start by a user', SCHEDULED, [...START, { actor: bob, role: 'tester' }] as never, /is a ReservationStarted by a/],
  ['a start by another process', SCHEDULED, [...START, { actor: 'berth' }] as never, /under the name berth/],
  ['an extension after the end', [...RUNNING, END], TAIL[2] as Entry, /reservation_over|earlier than/],
  ['a second beginning', SCHEDULED, ['06:00', began('06:00')], /has already begun/],
  ['a beginning at another time', MORNING, ['06:20', began('06:00')], /at another time than its own/],
  ['a beginning by a user', MORNING, ['06:20', began('06:20'), { actor: bob, role: 'administrator' }], /by a admin/],
]

for (const [what, log, entry, expected] of INVALID) {
  test(`${what} is found at its position`, async (t) => {
    t.deepEqual(await findingsIn(log), [], 'the log before is valid')
    const found = await findingsIn([...log, entry])
    t.true(
      found.some((each) => expected.test(each) && each.startsWith(`${log.length}: `)),
      found.join('\n') || 'nothing was found',
    )
    t.true(found.length <= 2, found.join('\n'))
  })
}

test('a beginning in the stream of a SUT is found', async (t) => {
  const stream = `sut-${SUT}`
  const log: readonly Entry[] = [...MORNING, ['06:20', began('06:20')]]
  await finds(t, /does not belong in the stream/, log, (events) =>
    events.with(-1, { ...events.at(-1), stream, revision: 5 }),
  )
})
