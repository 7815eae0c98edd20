import * as E from 'fp-ts/lib/Either.js'
import { find } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { type AskedWindow, momentsOf, onGrid, quarterAfter } from '../calendar/window.ts'
import type { Actor, Decider } from '../decider.ts'
import type { Event } from '../event.ts'
import { type Failure, failure, inBody, invalid, type Problem } from '../failure.ts'
import { CONFLICTS_MAX, standing, sutFold } from '../sut/decide.ts'
import { behindHeldTime, heldIn, nextAvailable } from '../sut/held.ts'
import { type SutState, writtenWindow } from '../sut/state.ts'
import { makeId } from '../values/ids.ts'
import { formatWithOffset, type Instant } from '../values/instant.ts'
import { latestEnd, tooLong, type WindowLimits, windowProblems } from './window-limits.ts'

export interface CreateReservation {
  readonly type: 'CreateReservation'
  readonly actor: Actor
  readonly sut_id: string
  readonly user_id: string
  /** Whether the users file has `user_id`. */
  readonly userExists: boolean
  readonly window: AskedWindow
  readonly limits: WindowLimits
  /** 8 random bytes in hex for the reservation's id. */
  readonly random: string
}

/**
 * A reservation, and what its document says of it. Whose it is and whether it stands is the calendar's to say while it
 * runs or is ahead; what the calendar no longer holds is final, and nothing is recorded of it: there the document chooses
 * between refusals.
 */
interface OfReservation {
  readonly actor: Actor
  readonly _id: string
  readonly user_id: string
  readonly standing: 'made' | 'released' | 'cancelled'
}

/** Cancels a reservation that has not begun; releases one that runs. */
export interface CancelReservation extends OfReservation {
  readonly type: 'CancelReservation'
}

export interface ExtendReservation extends OfReservation {
  readonly type: 'ExtendReservation'
  /** The end asked for: a moment, or seconds from the reservation's start. */
  readonly end: Instant | { readonly duration: number }
  readonly limits: WindowLimits
}

export type ReservationCommand = CreateReservation | CancelReservation | ExtendReservation

type Decision = E.Either<Failure, readonly Event[]>

const refuse = (...[code, detail, more]: Parameters<typeof failure>): E.Either<Failure, never> =>
  E.left(failure(code, detail, more))

const mayNot = (actor: Actor, user_id: string): boolean => actor.role === 'tester' && actor._id !== user_id
const notYours = (): E.Either<Failure, never> =>
  refuse('not_your_reservation', 'A tester makes and changes reservations for its own user_id only.')

const conflictOf = (held: Held) => ({ _id: held._id, user_id: held.user_id, ...writtenWindow(held) })

const create = (state: SutState, command: CreateReservation, now: number): Decision => {
  const { actor, sut_id, user_id, limits } = command
  const problems = windowProblems(command.window, now, limits)
  if (problems.length > 0) return E.left(invalid(problems))
  if (mayNot(actor, user_id)) return notYours()
  const found = standing(state)
  const unknown = [
    ...(command.userExists ? [] : [inBody('invalid', 'user_id', 'names no user')]),
    ...(E.isRight(found) ? [] : [inBody('invalid', 'sut_id', 'names no SUT')]),
  ]
  if (E.isLeft(found)) return E.left({ ...found.left, problems: unknown })
  if (unknown.length > 0) return refuse('user_not_found', 'No user has this id.', { problems: unknown })
  const sut = found.right
  if (sut.status === 'retired') return refuse('sut_retired', 'The SUT has been retired and cannot be reserved.')
  if (!sut.values.is_active) {
    return refuse('sut_inactive', 'The SUT is not active: it takes no new reservations and no extensions.')
  }
  const { start, end } = momentsOf(command.window, now)
  const gridded = onGrid(start.epochNanoseconds, end.epochNanoseconds)
  const window = behindHeldTime(sut, gridded)
  const conflicts = heldIn(sut, window, CONFLICTS_MAX)
  if (conflicts.length > 0) {
    const free = nextAvailable(sut, gridded, (now + limits.horizon) / 1000)
    const next_available = free
      ? {
          start_time: formatWithOffset(free.start, start.offset),
          end_time: formatWithOffset(free.end, start.offset),
        }
      : null
    return refuse('reservation_conflict', 'The SUT is reserved in this window.', {
      help: { conflicts: conflicts.map(conflictOf), next_available },
    })
  }
  // In the order in which they are written.
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

type Standing = Extract<SutState, { status: 'standing' | 'retired' }>

const runningOrAhead = (sut: Standing, _id: string, now: number): Held | undefined => {
  const held = find(sut.windows, _id)
  return held && held.end > now / 1000 ? held : undefined
}

const cancel = (sut: Standing, command: CancelReservation, now: number): Decision => {
  const { _id } = command
  const held = runningOrAhead(sut, _id, now)
  if (mayNot(command.actor, (held ?? command).user_id)) return notYours()
  if (held === undefined) {
    return command.standing === 'made' ? refuse('reservation_over', 'The reservation is over.') : E.right([])
  }
  const data = { _id, sut_id: sut._id, user_id: held.user_id }
  if (held.start * 1000 > now) return E.right([{ type: 'ReservationCancelled', data }])
  // A window is never empty, not even one released in the very millisecond in which it began.
  const end = Math.max(Math.ceil(now / 1000), held.start + 1)
  return E.right([{ type: 'ReservationReleased', data: { ...data, end_time: formatWithOffset(end, held.endOffset) } }])
}

const startOf = (held: Held): bigint => BigInt(held.start) * 1_000_000_000n

const askedEnd = (held: Held, end: ExtendReservation['end']): Instant =>
  'duration' in end
    ? { epochNanoseconds: startOf(held) + BigInt(end.duration) * 1_000_000_000n, offset: held.endOffset }
    : end

const extensionProblems = (held: Held, asked: Instant, command: ExtendReservation): readonly Problem[] => {
  const field = 'duration' in command.end ? 'duration' : 'end_time'
  const end = quarterAfter(asked.epochNanoseconds)
  // The very end that stands is never too long: the grid, or a longer limit, once gave it.
  if (end === held.end) return []
  const problems: Problem[] = []
  if (end < held.end) {
    const { end_time } = writtenWindow(held)
    problems.push(inBody('end_not_later', field, `must be later than the end that stands, ${end_time}`))
  }
  if (asked.epochNanoseconds > latestEnd(startOf(held), command.limits)) problems.push(tooLong(field, command.limits))
  return problems
}

const extend = (sut: Standing, command: ExtendReservation, now: number): Decision => {
  const { _id } = command
  const held = runningOrAhead(sut, _id, now)
  const asked = held && askedEnd(held, command.end)
  if (held && asked) {
    const problems = extensionProblems(held, asked, command)
    if (problems.length > 0) return E.left(invalid(problems))
  }
  if (mayNot(command.actor, (held ?? command).user_id)) return notYours()
  if (held === undefined || asked === undefined) {
    return command.standing === 'cancelled'
      ? refuse('reservation_cancelled', 'The reservation has been cancelled.')
      : refuse('reservation_over', 'The reservation is over.')
  }
  const end = quarterAfter(asked.epochNanoseconds)
  if (end === held.end) return E.right([])
  if (!sut.values.is_active)
    return refuse('sut_inactive', 'The SUT is not active: reservations of it are not extended.')
  const conflicts = heldIn(sut, { start: held.end, end }, CONFLICTS_MAX)
  if (conflicts.length > 0) {
    // The asked end is within the longest length, so nothing but the first conflict bounds the extension.
    const latest = (conflicts[0] as Held).start
    const extendable_until = latest > held.end ? formatWithOffset(latest, asked.offset) : null
    return refuse('reservation_conflict', 'The SUT is reserved in the time added.', {
      help: { conflicts: conflicts.map(conflictOf), extendable_until },
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
      return E.chain((sut: Standing) => cancel(sut, command, now))(standing(state))
    case 'ExtendReservation':
      return E.chain((sut: Standing) => extend(sut, command, now))(standing(state))
  }
}

/** Decides on the same stream and state as the SUT's own commands: its calendar is part of it. */
export const reservationDecider: Decider<SutState, ReservationCommand> = { ...sutFold, decide }
