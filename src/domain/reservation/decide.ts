import * as E from 'fp-ts/lib/Either.js'
import { find } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { alignToGrid, ceilToQuarter, type RequestedWindow, resolveWindow } from '../calendar/window.ts'
import type { Actor, Decider } from '../decider.ts'
import type { Event } from '../event.ts'
import { bodyProblem, type Failure, failure, invalid, type Problem } from '../failure.ts'
import { CONFLICTS_MAX, requireSut, sutFold } from '../sut/decide.ts'
import { findHeld, findNextAvailable, skipHeldTime } from '../sut/held.ts'
import { formatWindow, type SutState } from '../sut/state.ts'
import { makeId } from '../values/ids.ts'
import { formatWithOffset, type Instant } from '../values/instant.ts'
import { latestEnd, tooLongProblem, type WindowLimits, windowProblems } from './window-limits.ts'

export interface CreateReservation {
  readonly type: 'CreateReservation'
  readonly actor: Actor
  readonly sut_id: string
  readonly user_id: string
  /** Whether the users file contains `user_id`. */
  readonly userExists: boolean
  readonly window: RequestedWindow
  readonly limits: WindowLimits
  /** 8 random bytes in hex for the reservation's id. */
  readonly random: string
}

/**
 * A reservation as its document shows it. While the reservation is in the future or running, the calendar decides its
 * owner and status. Once it has left the calendar it is final and nothing more is recorded. The document then only
 * selects the refusal.
 */
interface ReservationCommandBase {
  readonly actor: Actor
  readonly _id: string
  readonly user_id: string
  readonly documentStatus: 'made' | 'released' | 'cancelled'
}

/** Cancels a future reservation; releases a running one. */
export interface CancelReservation extends ReservationCommandBase {
  readonly type: 'CancelReservation'
}

export interface ExtendReservation extends ReservationCommandBase {
  readonly type: 'ExtendReservation'
  /** The requested end: a moment, or seconds from the reservation's start. */
  readonly end: Instant | { readonly duration: number }
  readonly limits: WindowLimits
}

export type ReservationCommand = CreateReservation | CancelReservation | ExtendReservation

type Decision = E.Either<Failure, readonly Event[]>

const refuse = (...[code, detail, more]: Parameters<typeof failure>): E.Either<Failure, never> =>
  E.left(failure(code, detail, more))

const isForbidden = (actor: Actor, user_id: string): boolean => actor.role === 'tester' && actor._id !== user_id
const refuseNotYours = (): E.Either<Failure, never> =>
  refuse('not_your_reservation', 'Testers can only make and change reservations for their own user_id.')

const toConflict = (held: Held) => ({ _id: held._id, user_id: held.user_id, ...formatWindow(held) })

const create = (state: SutState, command: CreateReservation, now: number): Decision => {
  const { actor, sut_id, user_id, limits } = command
  const problems = windowProblems(command.window, now, limits)
  if (problems.length > 0) return E.left(invalid(problems))
  if (isForbidden(actor, user_id)) return refuseNotYours()
  const found = requireSut(state)
  const unknown = [
    ...(command.userExists ? [] : [bodyProblem('invalid', 'user_id', 'is not the id of a user')]),
    ...(E.isRight(found) ? [] : [bodyProblem('invalid', 'sut_id', 'is not the id of a SUT')]),
  ]
  if (E.isLeft(found)) return E.left({ ...found.left, problems: unknown })
  if (unknown.length > 0) return refuse('user_not_found', 'No user has this id.', { problems: unknown })
  const sut = found.right
  if (sut.status === 'retired') return refuse('sut_retired', 'The SUT has been retired and cannot be reserved.')
  if (!sut.values.is_active) {
    return refuse('sut_inactive', 'The SUT is inactive. It accepts no new reservations or extensions.')
  }
  const { start, end } = resolveWindow(command.window, now)
  const gridded = alignToGrid(start.epochNanoseconds, end.epochNanoseconds)
  const window = skipHeldTime(sut, gridded)
  const conflicts = findHeld(sut, window, CONFLICTS_MAX)
  if (conflicts.length > 0) {
    const free = findNextAvailable(sut, gridded, (now + limits.horizon) / 1000)
    const next_available = free
      ? {
          start_time: formatWithOffset(free.start, start.offset),
          end_time: formatWithOffset(free.end, start.offset),
        }
      : null
    return refuse('reservation_conflict', 'The SUT is already reserved in this window.', {
      help: { conflicts: conflicts.map(toConflict), next_available },
    })
  }
  // In canonical order, so that encoding need not sort.
  const data = {
    _id: makeId(now, command.random),
    end_time: formatWithOffset(window.end, end.offset),
    listen_port: sut.listen_port,
    start_time: formatWithOffset(window.start, start.offset),
    sut_id,
    user_id,
  }
  return E.right([{ type: 'ReservationCreated', data }])
}

type ExistingSut = Extract<SutState, { status: 'standing' | 'retired' }>

const findUnfinished = (sut: ExistingSut, _id: string, now: number): Held | undefined => {
  const held = find(sut.windows, _id)
  return held && held.end > now / 1000 ? held : undefined
}

const cancel = (sut: ExistingSut, command: CancelReservation, now: number): Decision => {
  const { _id } = command
  const held = findUnfinished(sut, _id, now)
  if (isForbidden(command.actor, (held ?? command).user_id)) return refuseNotYours()
  if (held === undefined) {
    return command.documentStatus === 'made' ? refuse('reservation_over', 'The reservation has ended.') : E.right([])
  }
  const data = { _id, sut_id: sut._id, user_id: held.user_id }
  if (held.start * 1000 > now) return E.right([{ type: 'ReservationCancelled', data }])
  // A window is never empty, even if released in the millisecond it began.
  const end = Math.max(Math.ceil(now / 1000), held.start + 1)
  return E.right([{ type: 'ReservationReleased', data: { ...data, end_time: formatWithOffset(end, held.endOffset) } }])
}

const startNanoseconds = (held: Held): bigint => BigInt(held.start) * 1_000_000_000n

const resolveEnd = (held: Held, end: ExtendReservation['end']): Instant =>
  'duration' in end
    ? { epochNanoseconds: startNanoseconds(held) + BigInt(end.duration) * 1_000_000_000n, offset: held.endOffset }
    : end

const extensionProblems = (held: Held, asked: Instant, command: ExtendReservation): readonly Problem[] => {
  const field = 'duration' in command.end ? 'duration' : 'end_time'
  const end = ceilToQuarter(asked.epochNanoseconds)
  // Repeating the current end is never too long: the grid, or an earlier higher limit, allowed it.
  if (end === held.end) return []
  const problems: Problem[] = []
  if (end < held.end) {
    const { end_time } = formatWindow(held)
    problems.push(bodyProblem('end_not_later', field, `must be later than the current end, ${end_time}`))
  }
  if (asked.epochNanoseconds > latestEnd(startNanoseconds(held), command.limits))
    problems.push(tooLongProblem(field, command.limits))
  return problems
}

const extend = (sut: ExistingSut, command: ExtendReservation, now: number): Decision => {
  const { _id } = command
  const held = findUnfinished(sut, _id, now)
  const asked = held && resolveEnd(held, command.end)
  if (held && asked) {
    const problems = extensionProblems(held, asked, command)
    if (problems.length > 0) return E.left(invalid(problems))
  }
  if (isForbidden(command.actor, (held ?? command).user_id)) return refuseNotYours()
  if (held === undefined || asked === undefined) {
    return command.documentStatus === 'cancelled'
      ? refuse('reservation_cancelled', 'The reservation has been cancelled.')
      : refuse('reservation_over', 'The reservation has ended.')
  }
  const end = ceilToQuarter(asked.epochNanoseconds)
  if (end === held.end) return E.right([])
  if (!sut.values.is_active) return refuse('sut_inactive', 'The SUT is inactive. Its reservations cannot be extended.')
  const conflicts = findHeld(sut, { start: held.end, end }, CONFLICTS_MAX)
  if (conflicts.length > 0) {
    // The requested end is within the maximum length, so only the first conflict limits the extension.
    const latest = (conflicts[0] as Held).start
    const extendable_until = latest > held.end ? formatWithOffset(latest, asked.offset) : null
    return refuse('reservation_conflict', 'The SUT is already reserved in the added time.', {
      help: { conflicts: conflicts.map(toConflict), extendable_until },
    })
  }
  const data = { _id, sut_id: sut._id, user_id: held.user_id, end_time: formatWithOffset(end, asked.offset) }
  return E.right([{ type: 'ReservationExtended', data }])
}

const decide = (state: SutState, command: ReservationCommand, now: number): Decision => {
  switch (command.type) {
    case 'CreateReservation':
      return create(state, command, now)
    case 'CancelReservation':
      return E.chain((sut: ExistingSut) => cancel(sut, command, now))(requireSut(state))
    case 'ExtendReservation':
      return E.chain((sut: ExistingSut) => extend(sut, command, now))(requireSut(state))
  }
}

/** Shares the SUT's stream and state, which includes its calendar. */
export const reservationDecider: Decider<SutState, ReservationCommand> = { ...sutFold, decide }
