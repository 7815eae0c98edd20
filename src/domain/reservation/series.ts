import * as E from 'fp-ts/lib/Either.js'
import { find } from '../calendar/calendar.ts'
import { earliestAfter } from '../calendar/turnaround.ts'
import { type ResolvedWindow, resolveWindow } from '../calendar/window.ts'
import type { Actor } from '../decider.ts'
import type { Event } from '../event.ts'
import {
  bodyProblem,
  type Conflict,
  type Failure,
  invalid,
  type Problem,
  type ProblemCode,
  refuse,
} from '../failure.ts'
import type { Occurrences } from '../series/occurrences.ts'
import { OCCURRENCES_MAX, OCCURRENCES_MIN, type RecurrenceRule } from '../series/rule.ts'
import { type FirstWindow, makeWindowAt, ruleStart } from '../series/windows.ts'
import { CONFLICTS_MAX } from '../sut/decide.ts'
import { findInTheWay, skipHeldTime } from '../sut/held.ts'
import type { ExistingSut } from '../sut/refusals.ts'
import type { SutState } from '../sut/state.ts'
import { makeId } from '../values/ids.ts'
import { ceilSecond, floorSecond, formatWithOffset } from '../values/instant.ts'
import { quartersIn } from './counted.ts'
import { type ReservationRequest, refuseActor, refuseClosed, requireKnown, toCreated } from './create.ts'
import { type Addition, refuseExceeding } from './quota.ts'
import { isForbidden, refuseNotYours, toConflict } from './rules.ts'
import { formatHorizon, windowProblems } from './window-limits.ts'

/** Reserves a SUT again and again, by a rule: all of its windows or none. */
export interface CreateSeries extends ReservationRequest {
  readonly type: 'CreateSeries'
  readonly first: FirstWindow
  /** As the client wrote it. */
  readonly rrule: string
  readonly rule: RecurrenceRule
  /** What the rule gives from `ruleStart` of the first window to the horizon. */
  readonly occurrences: Occurrences
  /** 8 random bytes in hex for the id of the series, and for that of each reservation. */
  readonly randoms: readonly string[]
}

type Decision = E.Either<Failure, readonly Event[]>

const startOf = ({ start }: Pick<ResolvedWindow, 'start'>): string =>
  formatWithOffset(floorSecond(start.instant), start.offset)

/** The first window must be what the rule and the wall clock give. */
const mismatchProblems = ({ first, occurrences }: CreateSeries, found: ResolvedWindow | undefined): Problem[] => {
  const code = 'series_start_mismatch'
  if (found === undefined) return [bodyProblem(code, 'start_time', 'is no occurrence of the rule')]
  if (occurrences.starts[0] !== ruleStart(first)) {
    return [bodyProblem(code, 'start_time', `is no occurrence of the rule. The first one is at ${startOf(found)}`)]
  }
  if (found.end.instant.equals(first.end.instant)) return []
  const end = formatWithOffset(ceilSecond(found.end.instant), found.end.offset)
  return [bodyProblem(code, 'end_time', `is the second of two moments with this wall clock time. The first is ${end}`)]
}

/** What is wrong with the rule as a whole. */
const extentProblems = ({ rule, occurrences, limits }: CreateSeries): Problem[] => {
  const { starts, more } = occurrences
  const isEndless = rule.count === undefined && rule.until === undefined
  const problem = (code: ProblemCode, detail: string): Problem[] => [bodyProblem(code, 'rrule', detail)]
  if (more === 'within' && !isEndless) {
    return problem('series_too_long', `has more than ${OCCURRENCES_MAX} occurrences. End it sooner with COUNT or UNTIL`)
  }
  const within = formatHorizon(limits)
  if (more === 'beyond' && !isEndless) {
    const detail = `has occurrences more than ${within} from now. End it sooner, or leave out COUNT and UNTIL`
    return problem('window_too_far', detail)
  }
  if (starts.length >= OCCURRENCES_MIN) return []
  return problem('series_too_short', `has one occurrence alone up to ${within} from now`)
}

/** The problems of the first window that has some. Clocks may make one longer than the others. */
const problemsOfWindows = (windows: readonly ResolvedWindow[], { limits }: CreateSeries, now: number): Problem[] => {
  for (const [n, window] of windows.entries()) {
    const problems = windowProblems('explicit', window, now, limits)
    const suffix = n === 0 ? '' : `, also in the occurrence at ${startOf(window)}`
    if (problems.length > 0) return problems.map((each) => ({ ...each, detail: each.detail + suffix }))
  }
  return []
}

/** @param turnaround seconds between the windows */
const overlapProblems = (windows: readonly ResolvedWindow[], turnaround = 0): Problem[] => {
  const at = windows.findIndex(({ gridded }, n) => {
    const next = windows[n + 1]?.gridded.start
    return next !== undefined && earliestAfter(gridded.end, turnaround) > next
  })
  if (at === -1) return []
  const [one, other] = windows.slice(at, at + 2).map(startOf)
  const why = turnaround === 0 ? 'that overlap' : 'without the turnaround of the SUT between them'
  return [bodyProblem('series_overlaps', 'rrule', `gives windows ${why}: those at ${one} and ${other}`)]
}

/** What is wrong with the request by itself, as far as what comes before is right. */
const problemsOf = (command: CreateSeries, windows: readonly ResolvedWindow[], now: number): readonly Problem[] => {
  const { first, limits, occurrences } = command
  const asked = windowProblems('explicit', resolveWindow({ form: 'explicit', ...first }, now), now, limits)
  if (asked.length > 0) return asked
  if (occurrences.more === 'unknown') {
    const detail = 'has too many candidates to look at. End it sooner, or list fewer hours, minutes and seconds'
    return [bodyProblem('series_too_long', 'rrule', detail)]
  }
  const mismatch = mismatchProblems(command, windows[0])
  if (mismatch.length > 0) return mismatch
  const extent = extentProblems(command)
  return extent.length > 0 ? extent : [...problemsOfWindows(windows, command, now), ...overlapProblems(windows)]
}

/** What holds the SUT in the windows of a series, with the occurrence that it conflicts with, by start. */
const findConflicts = (sut: ExistingSut, windows: readonly ResolvedWindow[]): readonly Conflict[] => {
  const conflicts: Conflict[] = []
  for (const window of windows) {
    const inTheWay = findInTheWay(sut, skipHeldTime(sut, window.gridded), CONFLICTS_MAX - conflicts.length)
    conflicts.push(...inTheWay.map((each) => ({ ...toConflict(each), occurrence: startOf(window) })))
    if (conflicts.length === CONFLICTS_MAX) break
  }
  return conflicts
}

const toEvents = (
  sut: ExistingSut,
  command: CreateSeries,
  windows: readonly ResolvedWindow[],
  now: number,
): Event[] => {
  const { first, rrule, sut_id, user_id, randoms } = command
  const [random = '', ...others] = randoms
  const series_id = makeId(now, random)
  const { start, end } = windows[0] as ResolvedWindow
  // In canonical order, so that encoding need not sort.
  const data = {
    _id: series_id,
    count: windows.length,
    end_time: formatWithOffset(ceilSecond(end.instant), end.offset),
    rrule,
    start_time: formatWithOffset(floorSecond(start.instant), start.offset),
    sut_id,
    time_zone: first.timeZone,
    user_id,
  }
  const reservations = windows.map((each, n) => {
    const window = skipHeldTime(sut, each.gridded)
    const made = { _id: makeId(now, others[n] as string), window, counted: quartersIn(window), series_id }
    return toCreated(sut, command, each, made)
  })
  return [{ type: 'ReservationSeriesCreated', data }, ...reservations]
}

export const createSeries = (state: SutState, command: CreateSeries, now: number): Decision => {
  const windows = command.occurrences.starts.map(makeWindowAt(command.first))
  const problems = problemsOf(command, windows, now)
  if (problems.length > 0) return E.left(invalid(problems))
  const refused = refuseActor(command)
  if (refused !== undefined) return refused
  const found = requireKnown(state, command)
  if (E.isLeft(found)) return found
  const sut = found.right
  const closed = refuseClosed(sut)
  if (closed !== undefined) return closed
  const tooClose = overlapProblems(windows, sut.values.turnaround)
  if (tooClose.length > 0) return E.left(invalid(tooClose))
  const conflicts = findConflicts(sut, windows)
  if (conflicts.length > 0) {
    const detail = 'The SUT is already reserved in windows of the series. None of it was reserved.'
    return refuse('reservation_conflict', detail, { help: { conflicts } })
  }
  const added = windows.map(({ gridded }): Addition => {
    const window = skipHeldTime(sut, gridded)
    return { start: window.start, quarters: quartersIn(window), reservations: 1 }
  })
  const exceeding = command.quota && refuseExceeding(command.quota, added, now)
  return exceeding ?? E.right(toEvents(sut, command, windows, now))
}

/** Cancels the reservations of a series that have not begun. */
export interface CancelSeries {
  readonly type: 'CancelSeries'
  readonly actor: Actor
  /** The holder of the series. */
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
