import { formatWithOffset, type OffsetTime } from '../../../src/domain/values/instant.ts'
import { instantOf, nanosecondsOf } from '../../domain/nanoseconds.ts'
import type { WindowWish } from './steps.ts'

/** The times of a story in their HTTP format. */

const QUARTER = 900_000

export const moment = (milliseconds: number, nanosecond: boolean, offset: number): OffsetTime => ({
  instant: instantOf(BigInt(milliseconds) * 1_000_000n + (nanosecond ? 1n : 0n)),
  offset,
})
/** As a client writes it. */
export const written = ({ instant, offset }: OffsetTime): string => {
  const epochNanoseconds = nanosecondsOf(instant)
  const text = formatWithOffset(Number(epochNanoseconds / 1_000_000_000n), offset)
  return epochNanoseconds % 1_000_000_000n === 0n ? text : text.replace(/(?=[+-]\d\d:\d\d$)/, '.000000001')
}

/** The ends of a window relative to the current quarter-hour. `clock` is in Unix milliseconds. */
export const explicit = (clock: number, { start, length, nanosecond, offsets }: WindowWish) => {
  const from = Math.floor(clock / QUARTER) * QUARTER + start * 1000
  return { start: moment(from, false, offsets[0]), end: moment(from + length * 1000, nanosecond, offsets[1]) }
}
