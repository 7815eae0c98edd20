import { makeDecider } from '../decider.ts'
import { initialSut, onSut, type SutState, sutFold } from '../sut/state.ts'
import { fits } from '../user/scope.ts'
import {
  type BindReservation,
  bindReservation,
  type CancelReservation,
  cancel,
  type KeepReservation,
  keepReservation,
  type ReleaseUnattended,
  releaseUnattended,
  type ShortenReservation,
  shorten,
  type UnbindReservation,
  unbind,
} from './change.ts'
import { type CreateReservation, create } from './create.ts'
import { type ExtendReservation, extend } from './extend.ts'
import { type RefuseOffer, refuseOffer } from './match.ts'
import { type AdvanceSchedule, advance } from './schedule.ts'
import { type CancelSeries, type CreateSeries, cancelSeries, createSeries } from './series.ts'

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
  return fits(state.tags, command.scope) ? state : initialSut
}

/** Shares the SUT's stream and state, which includes its calendar. */
export const reservationDecider = makeDecider<SutState, ReservationCommand>({
  ...sutFold,
  known,
  rules: {
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
  },
})
