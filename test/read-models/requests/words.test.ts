import test from 'ava'
import { explainWaiting, type Situation } from '../../../src/read-models/requests/words.ts'

const NONE = { count: 0, named: [] }
const T = Date.parse('2030-05-02T08:00:00Z') / 1000

const situation = (part: Partial<Situation>): Situation => ({
  fitting: 1,
  offered: undefined,
  ...{ free: NONE, taken: NONE, short: NONE, offline: NONE, inactive: NONE },
  quota: undefined,
  unattended: undefined,
  before: 0,
  expires: T + 86_400,
  isExpected: true,
  ...part,
})

const named = (...names: string[]) => ({ count: names.length, named: names.map((name) => ({ name })) })

test('words name a few SUTs with the time until which each is reserved, and count the others', (t) => {
  const taken = {
    count: 5,
    named: [
      { name: 'win-1', until: T, by: ['Ada'] },
      { name: 'win-2', until: T + 900, by: ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'] },
      { name: 'win-3', until: T + 1800 },
      { name: 'win-4', until: T + 2700 },
    ],
  }
  t.deepEqual(
    explainWaiting(situation({ fitting: 9, taken, offline: named('win-8'), inactive: { count: 3, named: [] } })),
    [
      '9 machines fit.',
      '5 are reserved: win-1 by Ada until 2030-05-02T08:00:00+00:00, win-2 by Ada, Ben, Cleo and 2 more until 2030-05-02T08:15:00+00:00, win-3 until 2030-05-02T08:30:00+00:00 and 2 more.',
      '1 is offline: win-8.',
      '3 are inactive.',
    ],
  )
})

test('words say how many requests are before one', (t) => {
  t.is(explainWaiting(situation({ before: 1 })).at(-1), '1 request is before it.')
  t.is(explainWaiting(situation({ before: 12 })).at(-1), '12 requests are before it.')
})

test('words tell a machine that is being reserved, one that is free, and none that fits', (t) => {
  t.deepEqual(explainWaiting(situation({ offered: 'win-1' })), ['win-1 is being reserved for it.'])
  t.deepEqual(explainWaiting(situation({ offered: null })), ['A machine is being reserved for it.'])
  t.deepEqual(explainWaiting(situation({ free: named('a', 'b') })), ['1 machine fits.', '2 are free: a and b.'])
  t.deepEqual(explainWaiting(situation({ fitting: 0 })), ['No machine that its user may reserve fits now.'])
})

test('words tell a quota that is used up, and a request that will expire first', (t) => {
  const tell = (part: Partial<Situation>) => explainWaiting(situation(part)).at(-1)
  t.is(
    tell({ quota: { is: 'hours', most: 10, until: T } }),
    'The quota of its user, 10 hours in a week, is used up until 2030-05-02T08:00:00+00:00.',
  )
  t.is(
    tell({ quota: { is: 'reservations', most: 2 } }),
    'The quota of its user, 2 reservations that are not over, is used up.',
  )
  t.is(tell({ quota: { is: 'reservations', most: undefined } }), 'The quota of its user is used up.')
  t.is(
    tell({ isExpected: false }),
    'None is expected to be free for it before it expires at 2030-05-03T08:00:00+00:00.',
  )
  t.deepEqual(explainWaiting(situation({ isExpected: undefined })), ['1 machine fits.'])
})
