import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import {
  changeQuota,
  formatQuota,
  parseQuota,
  QUOTA_DEFAULT,
  type QuotaChange,
} from '../../../src/domain/user/quota.ts'

const parsed: readonly (readonly [string, QuotaChange | null])[] = [
  ['default', null],
  [' default ', null],
  ['hours_per_week=40,reservations_max=20', { hours_per_week: 40, reservations_max: 20 }],
  ['hours_per_week=0.25', { hours_per_week: 0.25 }],
  ['hours_per_week=168.00, priority_max = 100', { hours_per_week: 168, priority_max: 100 }],
  [
    'priority_max=0,reservations_max=10000,hours_per_week=0',
    { priority_max: 0, reservations_max: 10_000, hours_per_week: 0 },
  ],
  [
    'hours_per_week=none,reservations_max=none,priority_max=none',
    { hours_per_week: null, reservations_max: null, priority_max: null },
  ],
  ['reservations_max=007', { reservations_max: 7 }],
]
for (const [text, quota] of parsed) {
  test(`the quota ${JSON.stringify(text)} is ${JSON.stringify(quota)}`, (t) => {
    t.deepEqual(parseQuota(text), E.right(quota))
  })
}

const SYNTAX = 'must be "default", or limits like hours_per_week=40,reservations_max=20,priority_max=none'
const NAMES = 'must consist of hours_per_week, reservations_max, priority_max, some or all'
const HOURS = 'must have as hours_per_week a multiple of 0.25 from 0 to 168, or "none" for no limit'
const RESERVATIONS = 'must have as reservations_max a whole number from 0 to 10,000, or "none" for no limit'
const PRIORITY = 'must have as priority_max a whole number from 0 to 100, or "none" for no limit'
const refused: readonly (readonly [string, string])[] = [
  ['', SYNTAX],
  ['Default', SYNTAX],
  ['none', SYNTAX],
  ['40', SYNTAX],
  ['hours_per_week=40,', SYNTAX],
  ['default,hours_per_week=40', SYNTAX],
  ['hours_per_week=4=0', SYNTAX],
  ['hours_per_week:40', SYNTAX],
  [`hours_per_week=${' '.repeat(200)}40`, SYNTAX],
  ['hours=40', NAMES],
  ['Hours_per_week=40', NAMES],
  ['__proto__=40', NAMES],
  ['toString=40', NAMES],
  ...['168.25', '0.1', '-1', '1e2', '0x10', 'NaN', 'null', '', '40h', '٤٠', '.5', '4.', '1.250', 'None'].map(
    (value) => [`hours_per_week=${value}`, HOURS] as const,
  ),
  ...['10001', '1.5', '-1', 'Infinity', '99999', '1_000', '1 000'].map(
    (value) => [`reservations_max=${value}`, RESERVATIONS] as const,
  ),
  ...['101', '0.25', '+1'].map((value) => [`priority_max=${value}`, PRIORITY] as const),
  ['priority_max=1,priority_max=1', 'must have each limit once'],
]
for (const [text, problem] of refused) {
  test(`the quota ${JSON.stringify(text.replace(/ {9,}/, ' ...'))} is refused`, (t) => {
    t.deepEqual(parseQuota(text), E.left(problem))
  })
}

test('property: every quota is parsed from its text, its limits in any order', (t) => {
  const limit = (max: number, step = 1) =>
    fc.oneof(
      fc.constant(null),
      fc.nat(max / step).map((n) => n * step),
    )
  const limits = fc.record(
    { hours_per_week: limit(168, 0.25), reservations_max: limit(10_000), priority_max: limit(100) },
    { requiredKeys: [], noNullPrototype: true },
  )
  const shuffled = limits
    .filter((quota) => Object.keys(quota).length > 0)
    .chain((quota) =>
      fc.tuple(
        fc.constant(quota),
        fc.shuffledSubarray(Object.entries(quota), { minLength: Object.keys(quota).length }),
      ),
    )
  fc.assert(
    fc.property(shuffled, ([quota, entries]) => {
      const whole = changeQuota(QUOTA_DEFAULT, quota)
      t.deepEqual(parseQuota(formatQuota(whole)), E.right(whole))
      t.deepEqual(parseQuota(entries.map(([name, value]) => `${name}=${value ?? 'none'}`).join()), E.right(quota))
    }),
  )
})
