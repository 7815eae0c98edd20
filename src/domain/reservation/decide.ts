import { type CommandsOf, makeDecider } from '../decider.ts'
import { initialSut, onSut, type SutState, sutFold } from '../sut/state.ts'
import { fits } from '../user/scope.ts'
import { advance, bindReservation, cancel, keepReservation, releaseUnattended, shorten, unbind } from './change.ts'
import { create } from './create.ts'
import { extend } from './extend.ts'
import { refuseOffer } from './match.ts'
import { cancelSeries, createSeries } from './series.ts'

const rules = {
  CreateReservation: create,
  CancelReservation: cancel,
  ExtendReservation: extend,
  ShortenReservation: shorten,
  BindReservation: bindReservation,
  UnbindReservation: unbind,
  KeepReservation: keepReservation,
  ReleaseUnattended: releaseUnattended,
  AdvanceSchedule: advance,
  RefuseOffer: refuseOffer,
  CreateSeries: createSeries,
  CancelSeries: onSut(cancelSeries),
}

export type ReservationCommand = CommandsOf<typeof rules>

/** To a command that takes time of a SUT outside the scope of its sender, the SUT does not exist. */
const known = (state: SutState, command: ReservationCommand): SutState => {
  if (!('scope' in command) || command.scope === undefined || !('tags' in state)) return state
  return fits(state.tags, command.scope) ? state : initialSut
}

/** Shares the SUT's stream and state, which includes its calendar. */
export const reservationDecider = makeDecider<SutState, ReservationCommand>({ ...sutFold, known, rules })
