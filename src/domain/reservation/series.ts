import * as E from 'fp-ts/lib/Either.js'
import { find, findInTheWay } from '../calendar/calendar.ts'
import { earliestAfter, resolveWindow } from '../calendar/window.ts'
import type { Actor, Decision } from '../decider.ts'
import type { Event } from '../event.ts'
import {
  bodyProblem,
  CONFLICTS_MAX,
  type Conflict,
  type FailureCode,
  invalid,
  type Problem,
  refuse,
} from '../failure.ts'
import { OCCURRENCES_MAX, OCCURRENCES_MIN, type RecurrenceRule } from '../series/rule.ts'
import type { AskedTime, FirstWindow, SeriesWindow, SeriesWindows } from '../series/windows.ts'
import type { ExistingSut, SutState } from '../sut/state.ts'
import { makeId } from '../values/ids.ts'
import { addSeconds, ceilSecond, floorMillisecond, floorSecond, formatWithOffset, isLater } from '../values/instant.ts'
import type { Seconds } from '../values/units.ts'
import { type ReservationRequest, refuseClosed, requireKnown, toCreated, windowOn } from './create.ts'
import { type Addition, quartersIn, refuseExceeding } from './quota.ts'
import { isForbidden, refuseActor, refuseNotYours, toConflict } from './rules.ts'
import { formatHorizon, tooFarProblem, tooLongProblem, windowProblems } from './window-limits.ts'

/** Reserves a SUT again and again, by a rule: all of its windows or none. */
export interface CreateSeries extends ReservationRequest {
  readonly first: FirstWindow
  /** As the client wrote it. */
  readonly rrule: string
  readonly rule: RecurrenceRule
  /** What the rule gives from the first window to the horizon. */
  readonly found: SeriesWindows
  /** 8 random bytes in hex for the id of the series, and for that of each reservation. */
  readonly randoms: readonly string[]
}

const written = ({ seconds, offset }: AskedTime): string => formatWithOffset(seconds, offset)

/** The first window must be what the rule and the wall clock give. */
const mismatchProblems = ({ first, found: { windows } }: CreateSeries): Problem[] => {
  const code = 'series_start_mismatch'
  const [window] = windows
  if (window === undefined) return [bodyProblem(code, 'start_time', 'is no occurrence of the rule')]
  const { start, end } = window
  if (start.seconds !== floorSecond(first.start.instant)) {
    return [bodyProblem(code, 'start_time', `is no occurrence of the rule. The first one is at ${written(start)}`)]
  }
  if (end.seconds === ceilSecond(first.end.instant)) return []
  const why = `is the second of two moments with this wall clock time. The first is ${written(end)}`
  return [bodyProblem(code, 'end_time', why)]
}

/** What is wrong with the rule as a whole. */
const extentProblems = ({ rule, found, limits }: CreateSeries): Problem[] => {
  const { windows, more } = found
  const isEndless = rule.count === undefined && rule.until === undefined
  const problem = (code: FailureCode, detail: string): Problem[] => [bodyProblem(code, 'rrule', detail)]
  if (more === 'within' && !isEndless) {
    return problem('series_too_long', `has more than ${OCCURRENCES_MAX} occurrences. End it sooner with COUNT or UNTIL`)
  }
  const within = formatHorizon(limits)
  if (more === 'beyond' && !isEndless) {
    const detail = `has occurrences more than ${within} from now. End it sooner, or leave out COUNT and UNTIL`
    return problem('window_too_far', detail)
  }
  if (windows.length >= OCCURRENCES_MIN) return []
  return problem('series_too_short', `has one occurrence alone up to ${within} from now`)
}

/** Clocks may make a window longer than the first, which alone is checked as asked for. */
const lengthProblems = ({ first, found: { windows }, limits }: CreateSeries): Problem[] => {
  const lengthOf = ({ start, end }: SeriesWindow): number => end.seconds - start.seconds
  const tooLong = windows.find((window) => {
    const longer = lengthOf(window) - lengthOf(windows[0] as SeriesWindow)
    return isLater(addSeconds(first.end.instant, longer), first.start.instant, limits.windowMax)
  })
  if (tooLong === undefined) return []
  const problem = tooLongProblem('end_time', limits)
  return [{ ...problem, detail: `${problem.detail}, also in the occurrence at ${written(tooLong.start)}` }]
}

const overlapProblems = (windows: readonly SeriesWindow[], turnaround: Seconds = 0): Problem[] => {
  const at = windows.findIndex(({ gridded }, n) => {
    const next = windows[n + 1]?.gridded.start
    return next !== undefined && earliestAfter(gridded.end, turnaround) > next
  })
  if (at === -1) return []
  const [one, other] = windows.slice(at, at + 2).map(({ start }) => written(start))
  const why = turnaround === 0 ? 'that overlap' : 'without the turnaround of the SUT between them'
  return [bodyProblem('series_overlaps', 'rrule', `gives windows ${why}: those at ${one} and ${other}`)]
}

/** What is wrong with the request by itself, as far as what comes before is right. */
const problemsOf = (command: CreateSeries, now: number): readonly Problem[] => {
  const { first, limits, found } = command
  const ofWindow = windowProblems('explicit', resolveWindow({ form: 'explicit', ...first }, now), now, limits)
  if (ofWindow.length > 0) return ofWindow
  // The clock may have been behind the log when the windows were looked for.
  if (floorMillisecond(first.start.instant) > found.horizon) return [tooFarProblem('start_time', limits)]
  if (found.more === 'unknown') {
    const detail = 'has too many candidates to look at. End it sooner, or list fewer hours, minutes and seconds'
    return [bodyProblem('series_too_long', 'rrule', detail)]
  }
  const mismatch = mismatchProblems(command)
  if (mismatch.length > 0) return mismatch
  const extent = extentProblems(command)
  return extent.length > 0 ? extent : [...lengthProblems(command), ...overlapProblems(found.windows)]
}

/** What holds the SUT in the windows of a series, with the occurrence that it conflicts with, by start. */
const findConflicts = (sut: ExistingSut, windows: readonly SeriesWindow[]): readonly Conflict[] => {
  const conflicts: Conflict[] = []
  for (const window of windows) {
    const inTheWay = findInTheWay(sut, windowOn(sut, window), CONFLICTS_MAX - conflicts.length)
    conflicts.push(...inTheWay.map((each) => ({ ...toConflict(each), occurrence: written(window.start) })))
    if (conflicts.length === CONFLICTS_MAX) break
  }
  return conflicts
}

const toEvents = (sut: ExistingSut, command: CreateSeries, now: number): Event[] => {
  const { first, rrule, sut_id, user_id, randoms } = command
  const { windows } = command.found
  const [random = '', ...others] = randoms
  const series_id = makeId(now, random)
  const { start, end } = windows[0] as SeriesWindow
  // In canonical order, so that encoding need not sort.
  const data = {
    _id: series_id,
    count: windows.length,
    end_time: written(end),
    rrule,
    start_time: written(start),
    sut_id,
    time_zone: first.timeZone,
    user_id,
  }
  const reservations = windows.map((each, n) => {
    const window = windowOn(sut, each)
    const reservation = { _id: makeId(now, others[n] as string), window, counted: quartersIn(window), series_id }
    return toCreated(sut, command, reservation)
  })
  return [{ type: 'ReservationSeriesCreated', data }, ...reservations]
}

export const createSeries = (state: SutState, command: CreateSeries, now: number): Decision => {
  const { windows } = command.found
  const problems = problemsOf(command, now)
  if (problems.length > 0) return E.left(invalid(problems))
  const refused = refuseActor(command)
  if (refused !== undefined) return refused
  const result = requireKnown(state, command)
  if (E.isLeft(result)) return result
  const sut = result.right
  const closed = refuseClosed(sut)
  if (closed !== undefined) return closed
  const tooClose = overlapProblems(windows, sut.values.turnaround)
  if (tooClose.length > 0) return E.left(invalid(tooClose))
  const conflicts = findConflicts(sut, windows)
  if (conflicts.length > 0) {
    const detail = 'The SUT is already reserved in windows of the series. None of it was reserved.'
    return refuse('reservation_conflict', detail, { help: { conflicts } })
  }
  const added = windows.map((each): Addition => {
    const window = windowOn(sut, each)
    return { start: window.start, quarters: quartersIn(window), reservations: 1 }
  })
  const exceeding = command.quota && refuseExceeding(command.quota, added, now)
  return exceeding ?? E.right(toEvents(sut, command, now))
}

export interface CancelSeries {
  readonly actor: Actor
  readonly user_id: string
  /** Its reservations by start. They are made with it and stay the same. */
  readonly reservationIds: readonly string[]
}

export const cancelSeries = (
  { _id: sut_id, windows }: ExistingSut,
  { actor, user_id, reservationIds }: CancelSeries,
  now: number,
): Decision => {
  if (isForbidden(actor, user_id)) return refuseNotYours()
  const ahead = reservationIds.filter((_id) => {
    const held = find(windows, _id)
    return held !== undefined && held.start * 1000 > now
  })
  return E.right(ahead.map((_id): Event => ({ type: 'ReservationCancelled', data: { _id, sut_id, user_id } })))
}
