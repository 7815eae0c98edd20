import test from 'ava'
import type { QuotaUse } from '../../../src/domain/reservation/quota.ts'
import { at, EVERYBODY, LINUX, lab } from './queue-lab.ts'

test('a request waits for machines that are reserved, offline or inactive, and behind others', async (t) => {
  const { explain } = lab(
    [
      { held: [[0, 4]], by: ['eve'] },
      {
        held: [
          [-2, 1],
          [1, 2],
        ],
        by: ['fay', 'gus'],
      },
      { isOffline: true },
      { is_active: false },
      { os: 'windows' },
      { held: [[1, 600]] },
      { held: [[-1, 700]] },
    ],
    [
      { match: { os: 'windows' } },
      { match: LINUX, user: 'ben' },
      { match: LINUX, user: 'cleo', priority: -1 },
      { sut: 1, user: 'ben' },
      { match: LINUX, quarters: 2 },
      { match: LINUX, user: 'dan', priority: 1 },
    ],
  )
  t.deepEqual(await explain(4), {
    position: 3,
    waits_for: [
      '6 machines fit.',
      '3 are reserved: machine 1 by FAY and GUS until 2030-05-02T06:30:00+00:00, machine 0 by EVE until 2030-05-02T07:00:00+00:00 and machine 6 until 2030-05-09T13:00:00+00:00.',
      '1 is free, but not for long enough: machine 5 until 2030-05-02T06:15:00+00:00.',
      '1 is offline: machine 2.',
      '1 is inactive: machine 3.',
      '3 requests are before it.',
    ],
    expected_at: at(4),
  })
  t.is((await explain(0))?.position, 0)
  t.is(await explain(9), undefined)
})

test('scopes of holders decide who is before a request, and that of the reader who is named', async (t) => {
  const { explain } = lab(
    [
      { rack: '1', held: [[0, 4]] },
      { rack: '2', held: [[0, 4]] },
    ],
    [
      { match: LINUX, user: 'one' },
      { match: LINUX, user: 'two' },
      { match: LINUX, user: 'gone' },
      { match: LINUX, user: 'all' },
    ],
    { one: { rack: '1' }, two: { rack: '2' } },
  )
  t.is((await explain(1))?.position, 0)
  t.is((await explain(3))?.position, 2)
  const reader = { _id: 'one', scope: { rack: '1' }, seesQuotas: false }
  t.deepEqual((await explain(3, reader))?.waits_for, [
    '2 machines fit.',
    '2 are reserved: machine 0 until 2030-05-02T07:00:00+00:00 and 1 more.',
    '2 requests are before it.',
  ])
  t.deepEqual((await explain(2))?.waits_for, ['No machine that its user may reserve fits now.'])
})

test('a quota that is used up is explained, with its size to those who may read it', async (t) => {
  const { explainFor } = lab([{}], [{ match: LINUX, user: 'ada' }])
  const use = (reservations: number, quarters: number): QuotaUse => ({
    quota: { hours_per_week: 10, reservations_max: 2, priority_max: 0 },
    usage: { quartersIn: () => quarters, endingAfter: () => reservations, unfinished: () => undefined },
  })
  const tell = async (used: QuotaUse | 'unknown', reader = EVERYBODY) => {
    const { waits_for = [], expected_at } = (await explainFor(used)(0, reader)) ?? {}
    return [waits_for.at(-1), expected_at]
  }
  t.deepEqual(await tell(use(2, 0)), ['The quota of its user, 2 reservations that are not over, is used up.', null])
  t.deepEqual(await tell(use(0, 40)), [
    `The quota of its user, 10 hours in a week, is used up until 2030-05-06T00:00:00+00:00.`,
    null,
  ])
  const other = { _id: 'ben', scope: undefined, seesQuotas: false }
  t.deepEqual(await tell(use(2, 0), other), ['The quota of its user is used up.', null])
  t.deepEqual(await tell('unknown'), ['1 is free: machine 0.', null])
  t.deepEqual(await tell(use(1, 39)), ['1 is free: machine 0.', at(0)])
})

test('an offer is told, and what others are being offered is as good as reserved', async (t) => {
  const { explain } = lab([{}, {}], [{ match: LINUX, offer: [1, 0, 4] }, { match: LINUX }, { sut: 1, priority: 9 }])
  t.deepEqual((await explain(0))?.waits_for, [
    'machine 1 is being reserved for it.',
    '2 are free: machine 0 and machine 1.',
    '1 request is before it.',
  ])
  t.is((await explain(2))?.expected_at, at(4))
  t.is((await explain(1))?.expected_at, at(0))
})

test('a request that expires before its turn is expected to get nothing, and after too many there is no estimate', async (t) => {
  const { explain } = lab(
    [{ held: [[0, 8]], by: ['eve'] }],
    [
      { sut: 0, expires: 8 },
      { sut: 0, expires: 9 },
    ],
  )
  t.deepEqual(await explain(0), {
    position: 0,
    waits_for: [
      '1 machine fits.',
      '1 is reserved: machine 0 by EVE until 2030-05-02T08:00:00+00:00.',
      'None is expected to be free for it before it expires at 2030-05-02T08:00:00+00:00.',
    ],
    expected_at: null,
  })
  // The one before it will have expired.
  t.is((await explain(1))?.expected_at, at(8))
  const crowd = lab(
    [{ held: [[0, 1]] }],
    Array.from({ length: 102 }, () => ({ sut: 0 })),
  )
  t.is((await crowd.explain(100))?.expected_at, at(101))
  t.deepEqual(await crowd.explain(101), {
    position: 101,
    waits_for: [
      '1 machine fits.',
      '1 is reserved: machine 0 until 2030-05-02T06:15:00+00:00.',
      '101 requests are before it.',
    ],
    expected_at: null,
  })
})

test('those that are passed over are before nobody, take nothing, and learn why they wait', async (t) => {
  const { explain } = lab(
    [{ held: [[0, 1]] }],
    [{ sut: 0, silent: [60, 60] }, { sut: 0, silent: [60, 59] }, { sut: 0 }],
  )
  t.like(await explain(2), { position: 1, expected_at: at(2) })
  t.deepEqual(await explain(0), {
    position: 0,
    waits_for: [
      '1 machine fits.',
      'Nobody has asked for it since 2030-05-02T05:59:00+00:00: it is passed over, and expires at 2030-05-02T06:01:00+00:00.',
      '1 is reserved: machine 0 until 2030-05-02T06:15:00+00:00.',
    ],
    expected_at: null,
  })
})
