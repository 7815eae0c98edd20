import test from 'ava'
import type { QuotaUse } from '../../../src/domain/reservation/quota.ts'
import { at, EVERYBODY, LINUX, lab } from './queue-lab.ts'

const IN_VAIN = 'None is expected to be free for it before it expires at 2030-05-02T08:00:00+00:00.'

test('a request says how many machines fit, what rules out the most, and how many go before it', async (t) => {
  const { explain } = lab(
    [{ held: [[0, 4]] }, { held: [[-2, 2]] }, { isOffline: true }, { is_active: false }, { os: 'windows', rack: '2' }],
    [
      { match: { os: 'windows' } },
      { match: LINUX, user: 'ben' },
      { match: LINUX, user: 'cleo', priority: -1 },
      { sut: 1, user: 'ben' },
      { match: { ...LINUX, not: { tags: { rack: ['1', '2'] } } } },
      { match: { tags: { rack: '1' } }, quarters: 2, user: 'dan' },
    ],
  )
  t.deepEqual(await explain(5), {
    position: 2,
    waits_for: ['4 machines fit.', 'tag.rack rules out the most: 1 of 5 in scope.', '2 requests are before it.'],
    expected_at: at(4),
  })
  t.deepEqual((await explain(4))?.waits_for, [
    'No machine that its user may reserve fits now.',
    'not tag.rack rules out the most: 5 of 5 in scope.',
  ])
  t.deepEqual((await explain(3))?.waits_for, ['1 machine fits.', '1 request is before it.'])
  t.is((await explain(0))?.position, 0)
  t.is(await explain(9), undefined)
})

test('scopes of holders decide who is before a request and what is counted', async (t) => {
  const { explain } = lab(
    [
      { rack: '1', held: [[0, 4]] },
      { rack: '2', held: [[0, 4]] },
    ],
    [
      { match: LINUX, user: 'one' },
      { match: { os: 'windows' }, user: 'two' },
      { match: LINUX, user: 'two' },
      { match: LINUX, user: 'gone' },
      { match: LINUX, user: 'all' },
    ],
    { one: { rack: '1' }, two: { rack: '2' } },
  )
  t.like(await explain(2), { position: 0, waits_for: ['1 machine fits.'] })
  t.is((await explain(1))?.waits_for[1], 'os rules out the most: 1 of 1 in scope.')
  t.is((await explain(4))?.position, 2)
  t.deepEqual((await explain(3))?.waits_for, ['No machine that its user may reserve fits now.'])
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
  t.deepEqual(await tell('unknown'), ['1 machine fits.', null])
  t.deepEqual(await tell(use(1, 39)), ['1 machine fits.', at(0)])
})

test('an offer is told to who sees the machine, and what others are being offered is as good as reserved', async (t) => {
  const { explain } = lab([{}, {}], [{ match: LINUX, offer: [1, 0, 4] }, { match: LINUX }, { sut: 1, priority: 9 }])
  t.is((await explain(0))?.waits_for[0], 'machine 1 is being reserved for it.')
  const reader = { _id: 'one', scope: { rack: '2' }, seesQuotas: false }
  t.is((await explain(0, reader))?.waits_for[0], 'A machine is being reserved for it.')
  t.is((await explain(2))?.expected_at, at(4))
  t.is((await explain(1))?.expected_at, at(0))
})

test('a request that expires before its turn is expected to get nothing, and after too many there is no estimate', async (t) => {
  const { explain } = lab(
    [{ held: [[0, 8]] }],
    [
      { sut: 0, expires: 8 },
      { sut: 0, expires: 9 },
    ],
  )
  t.deepEqual(await explain(0), { position: 0, waits_for: ['1 machine fits.', IN_VAIN], expected_at: null })
  // The one before it will have expired.
  t.is((await explain(1))?.expected_at, at(8))
  const broken = lab([{ isOffline: true }], [{ sut: 0 }])
  t.deepEqual((await broken.explain(0))?.waits_for, ['1 machine fits.'], 'it may work again')
  const crowd = lab(
    [{ held: [[0, 1]] }],
    Array.from({ length: 102 }, () => ({ sut: 0 })),
  )
  t.is((await crowd.explain(100))?.expected_at, at(101))
  t.like(await crowd.explain(101), { position: 101, expected_at: null })
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
    ],
    expected_at: null,
  })
})
