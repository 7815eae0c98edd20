import * as E from 'fp-ts/lib/Either.js'
import type { Decider, Decision } from '../decider.ts'
import { sutFold } from '../sut/decide.ts'
import { type ExistingSut, initialSutState, requireSut, type SutState } from '../sut/state.ts'
import { fits } from '../user/scope.ts'
import { type BindReservation, bindReservation, type UnbindReservation, unbind } from './bind.ts'
import { type CancelReservation, cancel } from './cancel.ts'
import { type CreateReservation, create } from './create.ts'
import { type ExtendReservation, extend } from './extend.ts'
import { type KeepReservation, keepReservation } from './keep.ts'
import { type RefuseOffer, refuseOffer } from './match.ts'
import { type ReleaseUnattended, releaseUnattended } from './release.ts'
import { type AdvanceSchedule, advance } from './schedule.ts'
import { type CancelSeries, type CreateSeries, cancelSeries, createSeries } from './series.ts'
import { type ShortenReservation, shorten } from './shorten.ts'

export type ReservationCommand =
  | CreateReservation
  | CancelReservation
  | ExtendReservation
  | ShortenReservation
  | BindReservation
  | UnbindReservation
  | KeepReservation
  | ReleaseUnattended
  | AdvanceSchedule
  | RefuseOffer
  | CreateSeries
  | CancelSeries

/** To a command that takes time of a SUT outside the scope of its sender, the SUT does not exist. */
const known = (state: SutState, command: ReservationCommand): SutState => {
  if (!('scope' in command) || command.scope === undefined || !('tags' in state)) return state
  return fits(state.tags, command.scope) ? state : initialSutState
}

const decide = (state: SutState, command: ReservationCommand, now: number): Decision => {
  switch (command.type) {
    case 'CreateReservation':
      return create(state, command, now)
    case 'CancelReservation':
      return E.chain((sut: ExistingSut) => cancel(sut, command, now))(requireSut(state))
    case 'ExtendReservation':
      return E.chain((sut: ExistingSut) => extend(sut, command, now))(requireSut(state))
    case 'ShortenReservation':
      return E.chain((sut: ExistingSut) => shorten(sut, command, now))(requireSut(state))
    case 'BindReservation':
      return E.chain((sut: ExistingSut) => bindReservation(sut, command, now))(requireSut(state))
    case 'UnbindReservation':
      return E.chain((sut: ExistingSut) => unbind(sut, command, now))(requireSut(state))
    case 'KeepReservation':
      return E.chain((sut: ExistingSut) => keepReservation(sut, command, now))(requireSut(state))
    case 'ReleaseUnattended':
      return E.chain((sut: ExistingSut) => releaseUnattended(sut, command, now))(requireSut(state))
    case 'AdvanceSchedule':
      return advance(state, command, now)
    case 'RefuseOffer':
      return refuseOffer(state, command)
    case 'CreateSeries':
      return createSeries(state, command, now)
    case 'CancelSeries':
      return E.chain((sut: ExistingSut) => cancelSeries(sut, command, now))(requireSut(state))
  }
}

/** Shares the SUT's stream and state, which includes its calendar. */
export const reservationDecider: Decider<SutState, ReservationCommand> = { ...sutFold, decide, known }
