import * as E from 'fp-ts/lib/Either.js'
import { findFreeUntil, findInTheWay, findNextAvailable, skipReleased } from '../calendar/calendar.ts'
import {
  formatWindow,
  type RequestedWindow,
  type ResolvedWindow,
  resolveWindow,
  type Window,
  type WrittenWindow,
} from '../calendar/window.ts'
import type { Actor, Decision } from '../decider.ts'
import type { Event } from '../event.ts'
import type { Criteria } from '../events/criteria.ts'
import { bodyProblem, CONFLICTS_MAX, type Failure, invalid, type Problem, refuse } from '../failure.ts'
import { type ExistingSut, requireSut, type SutState } from '../sut/state.ts'
import type { Scope } from '../user/scope.ts'
import { makeId } from '../values/ids.ts'
import { formatWithOffset } from '../values/instant.ts'
import { isOfferTaken, isUnfit, type Match, refuseCandidate } from './match.ts'
import { countNew, type QuotaUse, quartersOf, refuseExceeding } from './quota.ts'
import { refuseActor, toConflict } from './rules.ts'
import { type WindowLimits, windowProblems } from './window-limits.ts'

export interface CreateReservation {
  readonly type: 'CreateReservation'
  readonly actor: Actor
  readonly sut_id: string
  readonly user_id: string
  readonly userExists: boolean
  readonly window: RequestedWindow
  readonly limits: WindowLimits
  /** Whether the reservation is not to count for the quota of its holder. */
  readonly isBeyondQuota?: boolean
  /** Seconds after which it is to be released unless it is kept alive. */
  readonly keepalive?: number | undefined
  /** For holders whose reservations are limited. */
  readonly quota?: QuotaUse | undefined
  /** The actor's; without one, every SUT. */
  readonly scope?: Scope | undefined
  /** Absent if the SUT was named by its id. */
  readonly match?: Match | undefined
  /** 8 random bytes in hex for the reservation's id. */
  readonly random: string
}

export type ReservationRequest = Omit<CreateReservation, 'type' | 'window' | 'match' | 'keepalive' | 'random'>

/** What a reservation is asked for with, whichever SUT it is to have. */
export type Asked = Pick<CreateReservation, 'actor' | 'user_id' | 'userExists' | 'window' | 'limits' | 'isBeyondQuota'>

/** Refusals that come before anything that concerns the SUT. */
const refuseAsked = (asked: Asked, resolved: ResolvedWindow, now: number): E.Either<Failure, never> | undefined => {
  const problems = windowProblems(asked.window.form, resolved, now, asked.limits)
  return problems.length > 0 ? E.left(invalid(problems)) : refuseActor(asked)
}

const unknownUser = ({ userExists }: Pick<Asked, 'userExists'>): readonly Problem[] =>
  userExists ? [] : [bodyProblem('invalid', 'user_id', 'is not the id of a user')]

const refuseUnknownUser = (problems: readonly Problem[]): E.Either<Failure, never> =>
  refuse('user_not_found', 'No user has this id.', { problems })

/** Refusals of a request with criteria before SUTs are compared with them. */
export const refuseBeforeSearch = (asked: Asked, now: number): E.Either<Failure, never> | undefined =>
  refuseAsked(asked, resolveWindow(asked.window, now), now) ??
  (asked.userExists ? undefined : refuseUnknownUser(unknownUser(asked)))

/** The SUT and the user of a request, unless one is unknown. */
export const requireKnown = (
  state: SutState,
  request: Pick<ReservationRequest, 'userExists'>,
): E.Either<Failure, ExistingSut> => {
  const sut = requireSut(state)
  const unknown = [
    ...unknownUser(request),
    ...(E.isRight(sut) ? [] : [bodyProblem('invalid', 'sut_id', 'is not the id of a SUT')]),
  ]
  if (E.isLeft(sut)) return E.left({ ...sut.left, problems: unknown })
  return unknown.length > 0 ? refuseUnknownUser(unknown) : sut
}

/** Refuses a SUT that takes no reservations. */
export const refuseClosed = (sut: ExistingSut): E.Either<Failure, never> | undefined => {
  if (sut.status === 'retired') return refuse('sut_retired', 'The SUT has been retired and cannot be reserved.')
  if (sut.values.is_active) return undefined
  return refuse('sut_inactive', 'The SUT is inactive. It accepts no new reservations or extensions.')
}

/** The window that a reservation would have, from the window that was asked for. */
export const windowOn = (
  sut: ExistingSut,
  { start, end, gridded }: Record<'start' | 'end', { readonly offset: number }> & { readonly gridded: Window },
): WrittenWindow => ({ ...skipReleased(sut, gridded), startOffset: start.offset, endOffset: end.offset })

/** What makes a reservation more than a window that somebody asked for. */
interface Made {
  readonly _id: string
  readonly window: WrittenWindow
  readonly counted: number
  readonly match?: Criteria | undefined
  readonly keepalive?: number | undefined
  readonly series_id?: string
  readonly sut_request_id?: string | undefined
}

/** What is recorded of a new reservation, in canonical order, so that encoding need not sort. */
export const toCreated = (
  sut: ExistingSut,
  { sut_id, user_id, isBeyondQuota = false }: Pick<ReservationRequest, 'sut_id' | 'user_id' | 'isBeyondQuota'>,
  { _id, window, counted, match, keepalive, series_id, sut_request_id }: Made,
): Event => ({
  type: 'ReservationCreated',
  data: {
    _id,
    ...(isBeyondQuota && { beyond_quota: true }),
    counted,
    end_time: formatWithOffset(window.end, window.endOffset),
    ...(keepalive !== undefined && { keepalive }),
    listen_port: sut.listen_port,
    ...(match && { match }),
    ...(series_id !== undefined && { series_id }),
    start_time: formatWithOffset(window.start, window.startOffset),
    sut_id,
    ...(sut_request_id !== undefined && { sut_request_id }),
    user_id,
  },
})

export const create = (state: SutState, command: CreateReservation, now: number): Decision => {
  const { limits, match, keepalive } = command
  const offer = match?.offer
  if (offer && isOfferTaken(state, offer.sut_reservation_id)) return E.right([])
  const resolved = resolveWindow(command.window, now)
  // What is offered was asked for before, and has been put on the grid since.
  const refused = offer ? refuseActor(command) : refuseAsked(command, resolved, now)
  if (refused !== undefined) return refused
  const result = requireKnown(state, command)
  if (E.isLeft(result)) return result
  const sut = result.right
  if (match && isUnfit(sut, match, now)) return refuseCandidate()
  const closed = refuseClosed(sut)
  if (closed !== undefined) return closed
  const { start, gridded } = resolved
  const window = windowOn(sut, resolved)
  const conflicts = findInTheWay(sut, window, CONFLICTS_MAX)
  if (conflicts.length > 0 && match) return refuseCandidate()
  if (conflicts.length > 0) {
    const until = findFreeUntil(sut, window)
    const free_until = until === undefined ? null : formatWithOffset(until, start.offset)
    const free = findNextAvailable(sut, gridded, (now + limits.horizon) / 1000)
    const next_available = free ? formatWindow({ ...free, startOffset: start.offset, endOffset: start.offset }) : null
    const detail = conflicts.every(({ isTurnaround }) => isTurnaround)
      ? 'The SUT needs its turnaround between this window and another reservation.'
      : 'The SUT is already reserved in this window.'
    return refuse('reservation_conflict', detail, {
      help: { conflicts: conflicts.map(toConflict), free_until, next_available },
    })
  }
  const counted = offer ? quartersOf(offer.duration) : countNew(command.window, window)
  const added = [{ start: window.start, quarters: counted, reservations: 1 }] as const
  const exceeding = command.quota && refuseExceeding(command.quota, added, now)
  if (exceeding !== undefined) return exceeding
  const _id = offer?.sut_reservation_id ?? makeId(now, command.random)
  const reservation = { _id, window, counted, match: match?.criteria, keepalive, sut_request_id: match?.sut_request_id }
  return E.right([toCreated(sut, command, reservation)])
}
