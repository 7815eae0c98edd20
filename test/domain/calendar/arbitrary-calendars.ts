import fc from 'fast-check'
import { type Calendar, EMPTY, findEndingAfter, insert } from '../../../src/domain/calendar/calendar.ts'
import type { Held } from '../../../src/domain/calendar/held.ts'
import { QUARTER } from '../../../src/domain/calendar/window.ts'
import { makeRandom } from '../../process/random.ts'

/** Window count that needs several pages. */
const LONG = 600

const USERS = ['alice', 'bob', 'Zoë 😀', 'f'.repeat(24), 'u'.repeat(128)]
const CLIENTS = [null, `k1:${'a'.repeat(22)}`, `2030-05-02-1f3a:${'_'.repeat(22)}`]
const START_OFFSETS = [0, 120, -210, 840]
const END_OFFSETS = [0, 345, -840]

const RECORDED = ['nothing', 'start'] as const

const UNKEPT = { keepalive: 0, kept: 0, hasHeartbeats: false }

/** Milliseconds; a wrong clock can make more of them than a quarter-hour has. */
const LATENESS_MAX = 2 ** 40

/** Steps from a seed: drawing hundreds of them part by part would take most of a property's time. */
const stepsFrom = (seed: number, count: number) => {
  const { below, oneOf } = makeRandom(seed)
  return Array.from({ length: count }, () => ({
    gap: below(5),
    length: 1 + below(6),
    /** Seconds after the quarter: some windows start when another was released. */
    late: below(5) === 0 ? 1 + below(899) : 0,
    user_id: oneOf(USERS),
    offsets: [oneOf(START_OFFSETS), oneOf(END_OFFSETS)] as const,
    lateness: below(3) === 0 ? below(LATENESS_MAX) : 0,
    recorded: oneOf(RECORDED),
    client: oneOf(CLIENTS),
    alive:
      below(3) === 0
        ? { keepalive: 30 + below(86_371), kept: below(LATENESS_MAX), hasHeartbeats: below(2) === 0 }
        : UNKEPT,
    random: BigInt(below(2 ** 32)) << 32n,
  }))
}

const arbitrarySteps = (min: number) =>
  fc
    .tuple(fc.nat(), fc.oneof(fc.integer({ min, max: 20 }), fc.integer({ min: 140, max: LONG })))
    .map(([seed, count]) => stepsFrom(seed, count))

/** Non-overlapping windows by start, often adjacent, sometimes many, at any time. */
export const arbitraryWindows = (min = 0): fc.Arbitrary<readonly Held[]> =>
  fc
    .tuple(
      fc.oneof(fc.integer({ min: -20, max: 10 }), fc.constantFrom(-70_000_000, 4_772_185, 9_000_000, 280_000_000)),
      arbitrarySteps(min),
    )
    .map(([from, steps]) => {
      let end = from * QUARTER
      return steps.map(({ gap, length, late, user_id, offsets, random, lateness, recorded, client, alive }, n) => {
        const start = end + gap * QUARTER + late
        end = end + (gap + length) * QUARTER
        const _id =
          (n % 7).toString(16).padStart(8, '8') +
          random.toString(16).padStart(15, '0').slice(-15) +
          (n % 16).toString(16)
        const unique = _id.slice(0, 20) + n.toString(16).padStart(4, '0')
        const [startOffset, endOffset] = offsets
        return { _id: unique, user_id, start, end, startOffset, endOffset, lateness, recorded, client, ...alive }
      })
    })

/** The windows in a random, ascending or descending order. */
const inSomeOrder = (windows: readonly Held[]): fc.Arbitrary<readonly Held[]> =>
  fc.oneof(
    fc.shuffledSubarray([...windows], { minLength: windows.length }),
    fc.constant(windows),
    fc.constant(windows.toReversed()),
  )

export const calendarOf = (windows: readonly Held[]): Calendar => windows.reduce(insert, EMPTY)

/** A calendar, and its windows by start. */
export const arbitraryCalendar = (): fc.Arbitrary<readonly [Calendar, readonly Held[]]> =>
  arbitraryWindows().chain((windows) => fc.tuple(inSomeOrder(windows).map(calendarOf), fc.constant(windows)))

export const windowsOf = (calendar: Calendar): readonly Held[] => findEndingAfter(calendar, Number.NEGATIVE_INFINITY)
