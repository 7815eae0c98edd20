/** What steps of a story wish for. Times are relative to the clock, and objects are those created before. */

import fc from 'fast-check'

export const NAMES = ['admin', 'alice', 'bob', 'audrey'] as const
export type Name = (typeof NAMES)[number]

/** Seconds from the start of the current quarter-hour, and the UTC offsets of both ends. */
export interface WindowWish {
  readonly start: number
  readonly length: number
  readonly nanosecond: boolean
  readonly offsets: readonly [number, number]
}

/** When the windows of a series are: every so many minutes, until there are `count`, or until the nth after the first. */
export interface Rhythm {
  readonly minutes: 30 | 60
  readonly zone: 0 | 1 | 2
  readonly end: { readonly count?: number | undefined; readonly until?: number | undefined }
}

/** From one of some arbitraries, by their weights. */
const weighted = <A>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<A>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const one = <const A extends readonly unknown[]>(...values: A): fc.Arbitrary<A[number]> => fc.constantFrom(...values)

export const fields = fc.record(
  {
    name: one('bench', 'bench 4', '\u{1f5a5}'),
    is_active: one(true, true, true, false),
    os: one('', 'linux', 'windows'),
    port: one(22, 5902),
    rdp_width: one(800, 1024),
    password: one('one', 'two'),
    turnaround: one(0, 0, 1, 900, 3_000),
    release_unused_after: one(0, 300),
  },
  { requiredKeys: [] },
)
export const tags = fc.dictionary(one('rack', 'Rack', 'a.b'), one('1', '2', '', null), { maxKeys: 2 })

export const as = weighted<Name>([5, one('admin')], [5, one('alice', 'bob')], [1, one('audrey')])
export const administrator = weighted<Name>([12, one('admin')], [1, one('alice', 'audrey')])
export const tester = one('alice', 'bob')
export const holder = weighted<Name | 'oneself' | 'nobody'>([12, one('oneself')], [6, tester], [1, one('nobody')])
/** One of a few, so that different requests share keys. */
export const key = weighted<number | undefined>([3, one(undefined)], [2, fc.nat(4)])
export const condition = fc.option(one('current', 'any', 'old', 'list', 'weak'), { nil: undefined, freq: 2 })
/** Which object, from the newest backwards. The highest value selects nothing. */
export const which = fc.nat(19)

const quarters = (min: number, max: number) => fc.integer({ min, max }).map((n) => n * 900)
export const window: fc.Arbitrary<WindowWish> = fc.record({
  start: weighted([1, fc.integer({ min: -1200, max: 19_000 })], [2, quarters(-1, 8)]),
  length: weighted([1, fc.integer({ min: -300, max: 14_000 })], [4, quarters(0, 6)]),
  nanosecond: fc.boolean(),
  offsets: fc.tuple(one(0, 120, -210, 345), one(0, 60, 840)),
})
/** Mostly short, so that they do not overlap. */
const short = fc.tuple(window, quarters(1, 2)).map(([of, length]) => ({
  ...{ ...of, length: length - (of.nanosecond ? 1 : 0) },
}))
export const seriesWindow = weighted([1, window], [4, short])

/** Limits that random stories reach. */
export const quota = weighted<{ reservations_max?: number | null; hours_per_week?: number | null } | null>(
  [3, fc.nat(3).map((reservations_max) => ({ reservations_max }))],
  [3, fc.nat(12).map((quarters) => ({ hours_per_week: quarters / 4 }))],
  [1, fc.constant({ hours_per_week: null, reservations_max: null })],
  [1, fc.constant(null)],
)
export const isBeyondQuota = one(false, false, false, false, true)

/** Seconds that random stories reach. */
export const keepalive = fc.option(one(30, 900, 3_600), { nil: undefined, freq: 1 })
/** Seconds between probes; null ends probing. */
export const interval = one(null, 60, 60, 86_400)

export const rhythm: fc.Arbitrary<Rhythm> = fc.record({
  minutes: one(30, 60),
  zone: one(0, 1, 2),
  end: weighted<Rhythm['end']>(
    [4, fc.integer({ min: 2, max: 4 }).map((count) => ({ count }))],
    [2, fc.nat(4).map((until) => ({ until }))],
    [2, fc.constant({})],
  ),
})

export const SECOND = 1000
export const HOUR = 3600 * SECOND
/** Milliseconds by which the clock moves, forwards or back. */
export const by = weighted(
  [3, fc.integer({ min: 0, max: 60 * SECOND })],
  [6, fc.integer({ min: 0, max: HOUR / 2 })],
  [3, fc.integer({ min: 0, max: 8 * HOUR })],
  [1, fc.integer({ min: 0, max: 72 * HOUR })],
  [2, fc.integer({ min: -60 * SECOND, max: 0 })],
  [2, fc.integer({ min: -HOUR, max: 0 })],
)
