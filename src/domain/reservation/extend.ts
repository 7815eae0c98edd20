import * as E from 'fp-ts/lib/Either.js'
import { findInTheWayOfEnd } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { ceilToQuarter, formatWindow } from '../calendar/window.ts'
import { bodyProblem, CONFLICTS_MAX, type Problem, refuse } from '../failure.ts'
import type { Scope } from '../user/scope.ts'
import { addSeconds, formatWithOffset, type Instant, isLater, type OffsetTime } from '../values/instant.ts'
import { type Addition, countExtended, type QuotaUse, quartersIn, refuseExceeding } from './quota.ts'
import { onHeld, type ReservationCommandBase, toConflict } from './rules.ts'
import { tooLongProblem, type WindowLimits } from './window-limits.ts'

/** The requested end: a moment, or seconds from the reservation's start, or beyond the end that stands. */
export type NewEnd = OffsetTime | { readonly duration: number } | { readonly by: number }

export interface ExtendReservation extends ReservationCommandBase {
  readonly end: NewEnd
  readonly limits: WindowLimits
  /** For holders whose reservations are limited. */
  readonly quota?: QuotaUse | undefined
  /** The actor's; without one, every SUT. */
  readonly scope?: Scope | undefined
}

const wholeSecond = (seconds: number): Instant => ({ seconds, nanoseconds: 0 })

const resolveEnd = ({ start, end: former, endOffset: offset }: Held, end: NewEnd): OffsetTime => {
  if ('duration' in end) return { instant: addSeconds(wholeSecond(start), end.duration), offset }
  return 'by' in end ? { instant: addSeconds(wholeSecond(former), end.by), offset } : end
}

const endProblems = (held: Held, command: ExtendReservation): readonly Problem[] => {
  const newEnd = resolveEnd(held, command.end)
  const field = 'duration' in command.end ? 'duration' : 'by' in command.end ? 'by' : 'end_time'
  const end = ceilToQuarter(newEnd.instant)
  // Repeating the current end is never too long: the grid, or an earlier higher limit, allowed it.
  if (end === held.end) return []
  const problems: Problem[] = []
  if (end < held.end) {
    const { end_time } = formatWindow(held)
    problems.push(bodyProblem('end_not_later', field, `must be later than the current end, ${end_time}`))
  }
  if (isLater(newEnd.instant, wholeSecond(held.start), command.limits.windowMax))
    problems.push(tooLongProblem(field, command.limits))
  return problems
}

/** What an extension adds. A reservation made beyond the quota counts as a whole from then on. */
const additionOf = ({ usage }: QuotaUse, held: Held, newEnd: number): Addition => {
  const { _id, start, end } = held
  const known = usage.unfinished(_id)
  if (known?.isExempt === false) return { start, quarters: countExtended(0, end, newEnd), reservations: 0 }
  return { start, quarters: countExtended(known?.quarters ?? quartersIn(held), end, newEnd), reservations: 1 }
}

export const extend = onHeld<ExtendReservation>(
  (held, { isBeyondQuota = false, quota, end: newEnd }, now, sut) => {
    const moment = resolveEnd(held, newEnd)
    const end = ceilToQuarter(moment.instant)
    if (end === held.end) return E.right([])
    if (!sut.values.is_active)
      return refuse('sut_inactive', 'The SUT is inactive. Its reservations cannot be extended.')
    const conflicts = findInTheWayOfEnd(sut, { start: held.end, end }, CONFLICTS_MAX)
    const [first] = conflicts
    if (first !== undefined) {
      // The requested end is within the maximum length, so only the first conflict limits the extension.
      const latest = first.held.start - sut.values.turnaround
      const extendable_until = latest > held.end ? formatWithOffset(latest, moment.offset) : null
      const detail = first.isTurnaround
        ? 'The SUT needs its turnaround between the added time and its next reservation.'
        : 'The SUT is already reserved in the added time.'
      const help = { conflicts: conflicts.map(toConflict), extendable_until }
      return refuse('reservation_conflict', detail, { help })
    }
    const exceeding = quota && refuseExceeding(quota, [additionOf(quota, held, end)], now)
    if (exceeding !== undefined) return exceeding
    const { _id, user_id } = held
    const end_time = formatWithOffset(end, moment.offset)
    const data = { _id, sut_id: sut._id, user_id, end_time, ...(isBeyondQuota && { beyond_quota: true }) }
    return E.right([{ type: 'ReservationExtended', data }])
  },
  { problemsOf: endProblems },
)
