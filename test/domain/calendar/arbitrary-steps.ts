/** Random stories of a calendar. */

import fc from 'fast-check'
import { administrator, alice, bob, tester } from '../builders.ts'

const HOUR = 3_600_000

/** A command whose times are relative to now, on one of the earlier reservations. */
export interface Wish {
  readonly type:
    | 'reserve'
    | 'reserve from now'
    | 'cancel'
    | 'extend'
    | 'extend by'
    | 'shorten'
    | 'bind'
    | 'unbind'
    | 'keep'
    | 'stay connected'
    | 'release'
    | 'switch'
    | 'turn around'
    | 'retire'
  readonly which: number
  /** Seconds. */
  readonly start: number
  /** Seconds. */
  readonly length: number
  readonly nanosecond: boolean
  readonly offsets: readonly [number, number]
  readonly user_id: string
  readonly actor: typeof administrator
  readonly on: boolean
  /** Whether starts and ends that are due are recorded first. */
  readonly isRecorded: boolean
  /** Seconds. */
  readonly turnaround: number
  /** The keyed hash of the address that it comes from. */
  readonly client: string
  /** Seconds; undefined if it need not be kept alive. */
  readonly keepalive: number | undefined
}

export interface Step {
  /** Milliseconds by which the clock advances, or goes back if negative. */
  readonly wait: number
  readonly wish: Wish
}

const CLIENTS = ['a', 'b'].map((hash) => `k1:${hash.repeat(22)}`)

const arbitraryWish = (): fc.Arbitrary<Wish> =>
  fc.record({
    type: fc.oneof(
      { weight: 12, arbitrary: fc.constant('reserve' as const) },
      { weight: 5, arbitrary: fc.constantFrom('reserve from now' as const, 'cancel' as const, 'extend by' as const) },
      { weight: 5, arbitrary: fc.constant('extend' as const) },
      { weight: 5, arbitrary: fc.constant('shorten' as const) },
      { weight: 3, arbitrary: fc.constant('bind' as const) },
      { weight: 2, arbitrary: fc.constant('unbind' as const) },
      {
        weight: 4,
        arbitrary: fc.constantFrom('keep' as const, 'keep' as const, 'stay connected' as const, 'release' as const),
      },
      { weight: 2, arbitrary: fc.constantFrom('switch' as const, 'retire' as const) },
      { weight: 2, arbitrary: fc.constant('turn around' as const) },
    ),
    which: fc.nat(30),
    start: fc.oneof(
      fc.integer({ min: -1200, max: 19_000 }),
      fc.integer({ min: -1, max: 21 }).map((n) => n * 900),
    ),
    length: fc.oneof(
      fc.integer({ min: -300, max: 11_000 }),
      fc.integer({ min: 0, max: 12 }).map((n) => n * 900),
    ),
    nanosecond: fc.boolean(),
    // The grid is that of UTC, also where an offset is no multiple of 15 minutes.
    offsets: fc.tuple(fc.constantFrom(0, 120, -210, 345, 7), fc.constantFrom(0, 60, 840)),
    user_id: fc.constantFrom(alice, bob),
    actor: fc.constantFrom(administrator, administrator, tester(alice), tester(bob)),
    on: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    isRecorded: fc.boolean(),
    turnaround: fc.constantFrom(0, 900, 900, 1_800),
    client: fc.constantFrom(...CLIENTS),
    keepalive: fc.option(fc.constantFrom(30, 900, 3_600), { nil: undefined, freq: 2 }),
  })

/** The clock mostly advances by minutes; sometimes it goes back by up to an hour. */
export const arbitrarySteps = (): fc.Arbitrary<readonly Step[]> => {
  const wait = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: HOUR / 3 }) },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -HOUR, max: 0 }) },
  )
  const one = fc.record({ wait, wish: arbitraryWish() }).map((step): readonly Step[] => [step])
  return fc
    .array(
      fc.oneof(
        { weight: 24, arbitrary: one },
        { weight: 2, arbitrary: arbitraryReturns() },
        { weight: 1, arbitrary: arbitraryNeighbours() },
        { weight: 1, arbitrary: arbitraryKeeping() },
      ),
      { maxLength: 40, size: 'max' },
    )
    .map((parts) => parts.flat())
}

/** What stories that are told on purpose leave as it is. */
const WISH = {
  ...{ actor: administrator, user_id: alice, client: 'k1:aaaaaaaaaaaaaaaaaaaaaa', keepalive: undefined },
  ...{
    start: 0,
    length: 900,
    which: 0,
    nanosecond: false,
    on: true,
    isRecorded: false,
    turnaround: 0,
    offsets: [0, 0],
  },
} as const satisfies Omit<Wish, 'type'>

/** Two reservations close to each other, a turnaround, and a longer one of the two. */
const arbitraryNeighbours = (): fc.Arbitrary<readonly Step[]> => {
  const quarters = fc.integer({ min: 1, max: 3 }).map((n) => 900 * n)
  return fc.tuple(fc.integer({ min: 1, max: 12 }), quarters, quarters).map(([first, apart, turnaround]) => {
    const wish = { ...WISH, start: 900 * first, turnaround }
    const wishes: readonly Wish[] = [
      { ...wish, type: 'turn around', turnaround: 0 },
      { ...wish, type: 'reserve' },
      { ...wish, type: 'reserve', start: 900 * first + 900 + apart },
      { ...wish, type: 'turn around' },
      { ...wish, type: 'extend by', which: 1, length: 3_600 },
    ]
    return wishes.map((wish) => ({ wait: 0, wish }))
  })
}

/** A reservation from now on is kept alive, perhaps too early, and then released, perhaps too early. */
const arbitraryKeeping = (): fc.Arbitrary<readonly Step[]> => {
  const step = (wait: number, type: Wish['type']): Step => ({
    wait,
    wish: { ...WISH, type, length: 9_000, keepalive: 900 },
  })
  return fc
    .tuple(fc.integer({ min: 400_000, max: 950_000 }), fc.integer({ min: 850_000, max: 950_000 }))
    .map(([kept, released]) => [step(0, 'reserve from now'), step(kept, 'keep'), step(released, 'release')])
}

/** Consecutive reservations that start now and are soon released, mostly within the same quarter. */
const arbitraryReturns = (): fc.Arbitrary<readonly Step[]> => {
  const soon = fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 240_000 }))
  const offsets = fc.constantFrom([0, 0] as const, [120, -210] as const)
  const length = fc.integer({ min: 1, max: 4_000 })
  return fc.array(fc.tuple(soon, soon, length, offsets), { minLength: 1, maxLength: 4 }).map((rounds) =>
    rounds.flatMap(([before, held, length, offsets]): readonly Step[] => [
      { wait: before, wish: { ...WISH, type: 'reserve from now', length, offsets } },
      { wait: held, wish: { ...WISH, type: 'cancel', length, offsets } },
    ]),
  )
}
