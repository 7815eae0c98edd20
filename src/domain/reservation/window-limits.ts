import { quarterAt, type RequestedWindow, type ResolvedWindow } from '../calendar/window.ts'
import { bodyProblem, type Problem } from '../failure.ts'
import { formatWithOffset, instantAt, isLater } from '../values/instant.ts'
import type { Milliseconds } from '../values/units.ts'

export interface WindowLimits {
  readonly windowMax: Milliseconds
  /** How far ahead a window may start. */
  readonly horizon: Milliseconds
}

/** A local day may have 23 or 25 hours, so lengths of windows are given without days. */
const UNITS_OF_LENGTH = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const
const UNITS = [['day', 86_400_000], ...UNITS_OF_LENGTH] as const

type Unit = readonly [name: string, milliseconds: number]

/** Formats a limit like "7 days" or "36 hours", in the largest of these units that divides it. */
const formatDuration = (milliseconds: number, units: readonly Unit[]): string => {
  const [name, size] = units.find(([, size]) => milliseconds % size === 0) ?? ['millisecond', 1]
  const count = milliseconds / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** How far ahead a window may start, like "366 days". */
export const formatHorizon = ({ horizon }: WindowLimits): string => formatDuration(horizon, UNITS)

export const tooLongProblem = (field: string, limits: WindowLimits): Problem =>
  bodyProblem(
    'window_too_long',
    field,
    `must be at most ${formatDuration(limits.windowMax, UNITS_OF_LENGTH)} after the start`,
  )

export const tooFarProblem = (field: string, limits: WindowLimits): Problem =>
  bodyProblem('window_too_far', field, `must be at most ${formatHorizon(limits)} from now`)

/** Checks the length as requested and the quarter-hours on the grid. */
export const windowProblems = (
  form: RequestedWindow['form'],
  { start, end, gridded }: ResolvedWindow,
  now: number,
  limits: WindowLimits,
): readonly Problem[] => {
  const [startField, endField] = form === 'explicit' ? ['start_time', 'end_time'] : ['start_in', 'duration']
  if (!isLater(end.instant, start.instant)) {
    return [bodyProblem('window_empty', endField, 'must be later than start_time')]
  }
  if (!isLater(end.instant, instantAt(now))) return [bodyProblem('window_over', endField, 'must be later than now')]
  const problems: Problem[] = []
  if (isLater(end.instant, start.instant, limits.windowMax)) problems.push(tooLongProblem(endField, limits))
  if (isLater(start.instant, instantAt(now), limits.horizon)) {
    problems.push(tooFarProblem(startField, limits))
  }
  const quarter = quarterAt(now)
  if (gridded.start < quarter) {
    const earliest = formatWithOffset(quarter, start.offset)
    problems.push(
      bodyProblem('window_in_the_past', startField, `cannot be before the current quarter-hour, ${earliest}`),
    )
  }
  return problems
}
