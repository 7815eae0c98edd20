import fc from 'fast-check'
import type { Limits } from './model.ts'

/** Steps of a story. Times are relative to the clock, and objects are those created before. */

export const NAMES = ['admin', 'alice', 'bob', 'audrey'] as const
export type Name = (typeof NAMES)[number]

/** Seconds from the start of the current quarter-hour, and the UTC offsets of both ends. */
export interface WindowWish {
  readonly start: number
  readonly length: number
  readonly nanosecond: boolean
  readonly offsets: readonly [number, number]
}

export const CONDITIONS = ['current', 'any', 'old', 'list', 'weak'] as const
export type Condition = (typeof CONDITIONS)[number]

interface Sent {
  readonly as: Name
  /** One of a few, so that different requests share keys. */
  readonly key: number | undefined
}
interface OfSut extends Sent {
  /** Which SUT, from the newest backwards. */
  readonly which: number
  readonly condition: Condition | undefined
}
interface OfWindow extends Sent {
  readonly which: number
  readonly window: WindowWish
  readonly isBeyondQuota: boolean
}

/** When the windows of a series are: every so many minutes, until there are `count`, or until the nth after the first. */
export interface Rhythm {
  readonly minutes: 30 | 60
  readonly zone: 0 | 1 | 2
  readonly end: { readonly count?: number | undefined; readonly until?: number | undefined }
}

interface OfCreation extends OfWindow {
  readonly for: Holder
  /** Seconds. */
  readonly keepalive?: number | undefined
}

export type Step =
  | (Sent & { readonly to: 'create'; readonly fields: Fields })
  | (OfSut & { readonly to: 'update'; readonly fields: Fields })
  | (OfSut & { readonly to: 'tag'; readonly tags: Readonly<Record<string, string | null>> })
  | (OfSut & { readonly to: 'retire' })
  /** Seconds between probes; null ends probing. */
  | (OfSut & { readonly to: 'monitor'; readonly interval: number | null })
  | (Sent & { readonly to: 'limit'; readonly whose: 'alice' | 'bob'; readonly quota: Partial<Limits> | null })
  | (OfCreation & { readonly to: 'reserve' })
  | (OfCreation & { readonly to: 'reserve from now' })
  | (OfCreation & { readonly to: 'reserve any' })
  | (OfCreation & { readonly to: 'reserve series'; readonly rhythm: Rhythm })
  | (Sent & { readonly to: 'cancel series'; readonly which: number })
  | { readonly to: 'read series'; readonly as: Name; readonly which: number }
  | (Sent & { readonly to: 'cancel'; readonly which: number })
  | (Sent & { readonly to: 'bind'; readonly which: number })
  | (Sent & { readonly to: 'keep'; readonly which: number })
  | (OfWindow & { readonly to: 'extend' })
  | (OfWindow & { readonly to: 'extend by' })
  | (OfWindow & { readonly to: 'shorten' })
  | { readonly to: 'read SUT'; readonly as: Name; readonly which: number; readonly condition: Condition | undefined }
  | { readonly to: 'read reservation'; readonly as: Name; readonly which: number }
  /** Repeats a request that had a key. */
  | { readonly to: 'retry'; readonly which: number }
  /** Milliseconds, forwards or back. */
  | { readonly to: 'move the clock'; readonly by: number }
  /** Restarts the service, perhaps without its documents. */
  | { readonly to: 'restart'; readonly isRebuilt: boolean }

export type Fields = Readonly<Record<string, unknown>>

const fields = fc.record(
  {
    name: fc.constantFrom('bench', 'bench 4', '\u{1f5a5}'),
    is_active: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    os: fc.constantFrom('', 'linux', 'windows'),
    port: fc.constantFrom(22, 5902),
    rdp_width: fc.constantFrom(800, 1024),
    password: fc.constantFrom('one', 'two'),
    turnaround: fc.constantFrom(0, 0, 1, 900, 3_000),
    release_unused_after: fc.constantFrom(0, 300),
  },
  { requiredKeys: [] },
)
const tags = fc.dictionary(fc.constantFrom('rack', 'Rack', 'a.b'), fc.constantFrom('1', '2', '', null), { maxKeys: 2 })

const as = fc.oneof(
  { weight: 5, arbitrary: fc.constant('admin' as const) },
  { weight: 5, arbitrary: fc.constantFrom('alice' as const, 'bob' as const) },
  { weight: 1, arbitrary: fc.constant('audrey' as const) },
)
const administrator = fc.oneof(
  { weight: 12, arbitrary: fc.constant('admin' as const) },
  { weight: 1, arbitrary: fc.constantFrom('alice' as const, 'audrey' as const) },
)
const holder = fc.oneof(
  { weight: 12, arbitrary: fc.constant('oneself' as const) },
  { weight: 6, arbitrary: fc.constantFrom('alice' as const, 'bob' as const) },
  { weight: 1, arbitrary: fc.constant('nobody' as const) },
)
export type Holder = Name | 'oneself' | 'nobody'
const key = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: fc.nat(4) })
const condition = fc.option(fc.constantFrom(...CONDITIONS), { nil: undefined, freq: 2 })
/** The highest value selects nothing. */
const which = fc.nat(19)

const window: fc.Arbitrary<WindowWish> = fc.record({
  start: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: -1200, max: 19_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: -1, max: 8 }).map((n) => n * 900) },
  ),
  length: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: -300, max: 14_000 }) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 6 }).map((n) => n * 900) },
  ),
  nanosecond: fc.boolean(),
  offsets: fc.tuple(fc.constantFrom(0, 120, -210, 345), fc.constantFrom(0, 60, 840)),
})

/** Mostly short, so that they do not overlap. */
const seriesWindow: fc.Arbitrary<WindowWish> = fc.oneof(
  { weight: 1, arbitrary: window },
  {
    weight: 4,
    arbitrary: fc
      .tuple(window, fc.integer({ min: 1, max: 2 }))
      .map(([of, quarters]) => ({ ...of, length: 900 * quarters - (of.nanosecond ? 1 : 0) })),
  },
)

/** Limits that random stories reach. */
const quota = fc.oneof(
  { weight: 3, arbitrary: fc.nat(3).map((reservations_max) => ({ reservations_max })) },
  { weight: 3, arbitrary: fc.nat(12).map((quarters) => ({ hours_per_week: quarters / 4 })) },
  { weight: 1, arbitrary: fc.constant({ hours_per_week: null, reservations_max: null }) },
  { weight: 1, arbitrary: fc.constant(null) },
)
export const isBeyondQuota = fc.oneof(
  { weight: 4, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
)

/** Seconds that random stories reach. */
const keepalive = fc.option(fc.constantFrom(30, 900, 3_600), { nil: undefined, freq: 1 })

const rhythm: fc.Arbitrary<Rhythm> = fc.record({
  minutes: fc.constantFrom(30, 60),
  zone: fc.constantFrom(0, 1, 2),
  end: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 2, max: 4 }).map((count) => ({ count })) },
    { weight: 2, arbitrary: fc.nat(4).map((until) => ({ until })) },
    { weight: 2, arbitrary: fc.constant({}) },
  ),
})

export const SECOND = 1000
export const HOUR = 3600 * SECOND
const by = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 * SECOND }) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: HOUR / 2 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 8 * HOUR }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 72 * HOUR }) },
  { weight: 2, arbitrary: fc.integer({ min: -60 * SECOND, max: 0 }) },
  { weight: 2, arbitrary: fc.integer({ min: -HOUR, max: 0 }) },
)

const to = <K extends Step['to'], R>(
  kind: K,
  weight: number,
  parts: { readonly [P in keyof R]: fc.Arbitrary<R[P]> },
) => ({
  weight,
  arbitrary: fc.record({ to: fc.constant(kind), ...parts }, { noNullPrototype: true }) as unknown as fc.Arbitrary<Step>,
})

export const step: fc.Arbitrary<Step> = fc.oneof(
  to('create', 3, { as: administrator, key, fields }),
  to('update', 4, { as: administrator, key, which, condition, fields }),
  to('tag', 2, { as: administrator, key, which, condition, tags }),
  to('retire', 3, { as: administrator, key, which, condition }),
  to('monitor', 3, { as: administrator, key, which, condition, interval: fc.constantFrom(null, 60, 60, 86_400) }),
  to('limit', 4, { as: administrator, key, whose: fc.constantFrom('alice', 'bob'), quota }),
  to('reserve', 13, { as, key, which, for: holder, window, isBeyondQuota, keepalive }),
  to('reserve any', 6, { as, key: fc.constant(undefined), which, for: holder, window, isBeyondQuota, keepalive }),
  to('reserve from now', 5, { as, key, which, for: holder, window, isBeyondQuota, keepalive }),
  to('reserve series', 6, { as, key, which, for: holder, window: seriesWindow, isBeyondQuota, rhythm }),
  to('cancel series', 3, { as, key, which }),
  to('read series', 2, { as, which }),
  to('cancel', 6, { as, key, which }),
  to('bind', 6, { as, key, which }),
  to('keep', 6, { as, key, which }),
  to('extend', 5, { as, key, which, window, isBeyondQuota }),
  to('extend by', 3, { as, key, which, window, isBeyondQuota }),
  to('shorten', 5, { as, key, which, window, isBeyondQuota }),
  to('read SUT', 2, { as, which, condition }),
  to('read reservation', 2, { as, which }),
  to('retry', 5, { which: fc.nat(4) }),
  to('move the clock', 6, { by }),
  to('restart', 1, { isRebuilt: fc.boolean() }),
)
