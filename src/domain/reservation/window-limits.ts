import { type AskedWindow, momentsOf, quarterBefore } from '../calendar/window.ts'
import { inBody, type Problem } from '../failure.ts'
import { formatWithOffset } from '../values/instant.ts'

/** Milliseconds. */
export interface WindowLimits {
  /** The longest window. */
  readonly windowMax: number
  /** How far from now a window may start. */
  readonly horizon: number
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** "7 days", "36 hours": a limit in the largest unit that says it in a whole number. */
const inWords = (milliseconds: number): string => {
  const [name, size] = UNITS.find(([, size]) => milliseconds % size === 0) ?? ['millisecond', 1]
  const count = milliseconds / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

const nanosecondsOf = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n

/** The latest moment, in nanoseconds, that may be asked for as the end of a window from `start`. */
export const latestEnd = (start: bigint, limits: WindowLimits): bigint => start + nanosecondsOf(limits.windowMax)

export const tooLong = (field: string, limits: WindowLimits): Problem =>
  inBody('window_too_long', field, `must be at most ${inWords(limits.windowMax)} after the start`)

/** What is wrong with a window, judged as asked where the length counts and on the grid where the quarter counts. */
export const windowProblems = (asked: AskedWindow, now: number, limits: WindowLimits): readonly Problem[] => {
  const { start, end } = momentsOf(asked, now)
  const [startField, endField] = asked.form === 'explicit' ? ['start_time', 'end_time'] : ['start_in', 'duration']
  if (end.epochNanoseconds <= start.epochNanoseconds) {
    return [inBody('window_empty', endField, 'must be later than start_time')]
  }
  if (end.epochNanoseconds <= nanosecondsOf(now)) return [inBody('window_over', endField, 'must be later than now')]
  const problems: Problem[] = []
  if (end.epochNanoseconds > latestEnd(start.epochNanoseconds, limits)) problems.push(tooLong(endField, limits))
  if (start.epochNanoseconds > nanosecondsOf(now + limits.horizon)) {
    problems.push(inBody('window_too_far', startField, `must be at most ${inWords(limits.horizon)} from now`))
  }
  const quarter = quarterBefore(nanosecondsOf(now))
  if (quarterBefore(start.epochNanoseconds) < quarter) {
    const earliest = formatWithOffset(quarter, start.offset)
    problems.push(inBody('window_in_the_past', startField, `must not be before the current quarter-hour, ${earliest}`))
  }
  return problems
}
