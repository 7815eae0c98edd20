import type { Booked } from './calendar.ts'
import { MINUTE, midnightOf } from './times.ts'

/** Seven days, one below the other. Pure: instants are Unix milliseconds. */

export interface DayBlock {
  readonly booked: Booked
  /** Minutes from midnight. */
  readonly a: number
  readonly z: number
}

export interface Day {
  /** Midnight. */
  readonly from: number
  readonly to: number
  readonly blocks: readonly DayBlock[]
}

/** Minutes that a row has. A day on which clocks change has an hour more or less, which its end shows. */
export const ROW_MINUTES = 24 * 60

/** The day of a time and those after it, each with what is reserved in it. */
export const weekOf = (booked: readonly Booked[], time: number, count = 7): readonly Day[] =>
  Array.from({ length: count }, (_, n): Day => {
    const [from, to] = [midnightOf(time, n), midnightOf(time, n + 1)]
    const blocks = booked
      .filter((each) => each.from < to && each.to > from)
      .map((each) => ({
        booked: each,
        a: Math.max(0, (each.from - from) / MINUTE),
        z: Math.min(ROW_MINUTES, (Math.min(each.to, to) - from) / MINUTE),
      }))
    return { from, to, blocks }
  })
