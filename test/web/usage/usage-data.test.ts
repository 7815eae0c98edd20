import test from 'ava'
import {
  bucketSizeOf,
  bucketsOf,
  bucketText,
  byOf,
  heldShares,
  NO_FILTER,
  periodOf,
  refusedOf,
  rowsByBucket,
  spanNameOf,
  type UsageRow,
  unusedOf,
} from '../../../src/web/screens/usage/usage-data.ts'

/** A Thursday. */
const NOW = new Date(2030, 4, 2, 10, 30).getTime()
const day = (date: number, month = 4, year = 2030): number => new Date(year, month, date).getTime()

const row = (part: Partial<UsageRow>): UsageRow => ({
  ...{ key: null, name: null, bucket: null, held_seconds: 0, used_seconds: 0, reservations: 0 },
  ...{ unused_reservations: 0, cancelled: 0, released_early_seconds: 0, users: 0, suts: 0, ...part },
})

test('a span is whole days up to today, and one of own days is at most as long as a report', (t) => {
  const daysOf = (filter: object) => periodOf({ ...NO_FILTER, ...filter }, NOW)
  t.deepEqual(daysOf({}), { from: day(3, 3), to: day(3) })
  t.deepEqual(daysOf({ span: 'd7' }), { from: day(26, 3), to: day(3) })
  t.deepEqual(daysOf({ span: 'dates', from: '2030-04-10', to: '2030-04-12' }), { from: day(10, 3), to: day(13, 3) })
  t.deepEqual(daysOf({ span: 'dates', from: '2030-04-12', to: '2030-04-10' }), { from: day(10, 3), to: day(13, 3) })
  t.deepEqual(daysOf({ span: 'dates', from: '2000-01-01', to: '2040-01-01' }), daysOf({ span: 'd400' }))
  t.deepEqual(daysOf({ span: 'dates', from: 'x', to: '' }), daysOf({}))
})

test('what an address says is not believed', (t) => {
  t.is(spanNameOf({ ...NO_FILTER, span: 'toString' }), 'd30')
  t.deepEqual(
    ['', 'user', 'tag.rack', 'tag.<b>', 'tagged'].map((by) => byOf({ ...NO_FILTER, by }, false)),
    ['sut', 'user', 'tag.rack', 'sut', 'sut'],
  )
  t.is(byOf({ ...NO_FILTER, by: 'tag.rack' }, true), 'sut', 'a link of somebody who sees more')
})

test('a month is shown by day, more by week from Monday, each bucket that has begun, also those without a row', (t) => {
  const month = periodOf(NO_FILTER, NOW)
  t.is(bucketSizeOf(month), 'day')
  const days = bucketsOf(month, 'day', NOW)
  t.deepEqual([days.length, days[0], days.at(-1)], [30, day(3, 3), day(2)])
  t.is(bucketsOf(month, 'day', day(2)).at(-1), day(2), 'a day begins at midnight')
  const quarter = periodOf({ ...NO_FILTER, span: 'd90' }, NOW)
  t.is(bucketSizeOf(quarter), 'week')
  const weeks = bucketsOf(quarter, 'week', NOW)
  t.true(weeks.every((start) => new Date(start).getDay() === 1 && new Date(start).getHours() === 0))
  t.is(weeks.at(-1), day(29, 3))
  t.is(bucketText(day(29, 3), 'week'), '29 Apr – 5 May')
  const second = row({ bucket: new Date(day(4, 3)).toISOString(), held_seconds: 60 })
  t.deepEqual(rowsByBucket([second], days.slice(0, 3)), [undefined, second, undefined])
})

test('an hour of a week is as dark as the share of machines held in it, and one that has not come is not known', (t) => {
  const period = periodOf({ ...NO_FILTER, span: 'd7' }, NOW)
  const at = (date: number, hour: number): string => new Date(2030, 4, date, hour).toISOString()
  const rows = [
    row({ bucket: at(2, 9), held_seconds: 3_600 }),
    // Half of it is over.
    row({ bucket: at(2, 10), held_seconds: 3_600 }),
  ]
  const shares = heldShares(rows, period, 2, NOW)
  t.deepEqual([shares[3]?.[9], shares[3]?.[10], shares[3]?.[11], shares[2]?.[9]], [0.5, 1, undefined, 0])
  t.deepEqual(heldShares(rows, period, 0, NOW)[3]?.[9], undefined)
})

test('a machine that nobody used was reserved in vain, or not at all; what nobody could see counts as used', (t) => {
  const sut = (_id: string, is_active = true) => ({ _id, name: _id, is_active })
  const rows = [
    row({ key: 'used', used_seconds: 60, held_seconds: 600, reservations: 1 }),
    row({ key: 'vain', held_seconds: 600, reservations: 2 }),
    row({ key: 'unseen', used_seconds: null, held_seconds: 600, reservations: 1 }),
  ]
  const unused = unusedOf(rows, [sut('idle'), sut('used'), sut('vain'), sut('unseen'), sut('off', false)])
  t.deepEqual(
    unused.map(({ key, text }) => `${key}: ${text}`),
    ['vain: Reserved 2 times, nobody connected', 'idle: Nobody reserved it', 'off: Inactive'],
  )
})

test('what was refused is told in words, the most frequent first, over all rows', (t) => {
  const rows = [{ refused: { no_sut_free: 2, others: 1 } }, { refused: {} }, { refused: { others: 4 } }]
  t.deepEqual(refusedOf(rows), [
    { text: 'Others', count: 5 },
    { text: 'No machine free', count: 2 },
  ])
})
