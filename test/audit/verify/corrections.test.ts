import test from 'ava'
import type { DataOf, Event } from '../../../src/domain/event.ts'
import { alice, bob, reservationCancelled, wall } from '../../domain/builders.ts'
import { type Entry, FIRST, findingsIn, idAt, MORNING, made, of, SUT, updated } from './morning.ts'

/** A log in which the clock is a year ahead for one event, and the operator's correction. */

const SECOND = idAt('05:21', 2)
const BY_OPERATOR = { actor: 'command-line', role: 'system', reason: 'the clock was ahead' } as const
const WRONG: Entry = ['2031-05-02T06:20:00Z', updated({ os: 'linux' })]
const ALSO_WRONG: Entry = ['2031-05-02T06:21:00Z', updated({ os: 'bsd' })]

const RIGHT: DataOf<'ClockCorrected'> = {
  positions: { from: 6, to: 6 },
  revisions: { from: 5, to: 5 },
  time: '2030-05-02T06:10:00.000Z',
  windows: [
    { _id: FIRST, user_id: alice, start_time: wall('06:00'), end_time: wall('07:30') },
    { _id: SECOND, user_id: bob, start_time: wall('08:00'), end_time: wall('09:00') },
  ],
  remaining: 0,
  sut_id: SUT,
}
const [FIRST_WINDOW, SECOND_WINDOW] = RIGHT.windows as [(typeof RIGHT.windows)[0], (typeof RIGHT.windows)[0]]

const corrected = (change: Partial<DataOf<'ClockCorrected'>> = {}): Event => ({
  type: 'ClockCorrected',
  data: { ...RIGHT, ...change },
})

test('a correction that restores the dropped windows, and the events after it, have no findings', async (t) => {
  const log: Entry[] = [
    ...MORNING,
    WRONG,
    ['06:30', corrected(), BY_OPERATOR],
    ['06:31', of(reservationCancelled(SECOND, bob))],
    made('06:32', 3, '08:30', '10:00'),
  ]
  t.deepEqual(await findingsIn(log), [])
})

test('a correction in two parts has no findings', async (t) => {
  const log: Entry[] = [
    ...MORNING,
    WRONG,
    ['06:30', corrected({ windows: [FIRST_WINDOW], remaining: 1 }), BY_OPERATOR],
    ['06:30', corrected({ windows: [SECOND_WINDOW] }), BY_OPERATOR],
  ]
  t.deepEqual(await findingsIn(log), [])
})

test('two corrections of one stream have no findings', async (t) => {
  const span = { positions: { from: 8, to: 8 }, revisions: { from: 7, to: 7 }, time: '2030-05-02T06:30:00.000Z' }
  const log: Entry[] = [
    ...MORNING,
    WRONG,
    ['06:30', corrected(), BY_OPERATOR],
    ALSO_WRONG,
    ['06:40', corrected(span), BY_OPERATOR],
  ]
  t.deepEqual(await findingsIn(log), [])
})

for (const [what, change, more, expected] of [
  ['omits a current window', { windows: [FIRST_WINDOW] }, {}, /restores 1 reservations and leaves 0, of 2/],
  [
    'restores a window that did not exist',
    {
      windows: [
        ...RIGHT.windows,
        { ...SECOND_WINDOW, _id: idAt('05:22', 3), start_time: wall('10:00'), end_time: wall('11:00') },
      ],
    },
    {},
    /which differs from what the corrected times give/,
  ],
  [
    'restores a window to another user',
    { windows: [FIRST_WINDOW, { ...SECOND_WINDOW, user_id: alice }] },
    {},
    /which differs from what the corrected times give/,
  ],
  [
    'restores a window with another end',
    { windows: [{ ...FIRST_WINDOW, end_time: wall('07:15') }, SECOND_WINDOW] },
    {},
    /which differs from what the corrected times give/,
  ],
  ['names other positions', { positions: { from: 5, to: 6 } }, {}, /not those at the positions 5 to 6/],
  ['names other revisions', { revisions: { from: 4, to: 5 } }, {}, /not those at the positions 6 to 6/],
  ['names a revision that comes after it', { revisions: { from: 5, to: 6 } }, {}, /do not precede it/],
  ['sets another corrected time', { time: '2030-05-02T06:11:00.000Z' }, {}, /sets the corrected time to/],
  ['is by an administrator', {}, { actor: alice, role: 'administrator' }, /is a ClockCorrected by a administrator/],
  ['is by the service itself', {}, { actor: 'berth' }, /under the name berth/],
] as const) {
  test(`a correction that ${what} is found at its position`, async (t) => {
    const found = await findingsIn([...MORNING, WRONG, ['06:30', corrected(change), { ...BY_OPERATOR, ...more }]])
    t.true(
      found.some((each) => expected.test(each) && each.startsWith('7: ')),
      found.join('\n') || 'nothing was found',
    )
  })
}

test('control: a time that goes back without a correction is found', async (t) => {
  const found = await findingsIn([...MORNING, WRONG, ['06:30', updated({ os: 'bsd' })]])
  t.true(
    found.some((each) => /earlier than the previous event/.test(each)),
    found.join('\n'),
  )
})
