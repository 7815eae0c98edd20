import * as E from 'fp-ts/lib/Either.js'
import type { Decision } from '../decider.ts'
import type { Criteria } from '../events/criteria.ts'
import { type Failure, refuse } from '../failure.ts'
import type { Offer } from '../matching/candidates.ts'
import { makeFit, profileOf } from '../matching/fit.ts'
import type { ExistingSut, SutState } from '../sut/state.ts'
import { fits, type Scope } from '../user/scope.ts'
import { makeId } from '../values/ids.ts'

/** What was asked for in place of a SUT named by its id. */
export interface Match {
  /** Undefined if a request waited for the SUT by its id. */
  readonly criteria: Criteria | undefined
  /** The holder's; without one, every SUT. */
  readonly holderScope: Scope | undefined
  /** The request that waited, if one did. */
  readonly sut_request_id?: string | undefined
  /** The offer that the reservation takes up. Only verification does not know it. */
  readonly offer?: Offer | undefined
}

/** Refuses one of several SUTs. No client sees it: the next is tried. */
export const refuseCandidate = (): E.Either<Failure, never> =>
  refuse('no_sut_free', 'The SUT does not fit, or is not free in this window any more.')

const NO_RANDOM = ''

/** An id begins with the second of its event, so what is offered must be reserved within the same second of its stream. */
const isOver = (sut: ExistingSut, { sut_reservation_id: _id }: Offer, now: number): boolean =>
  isOfferRefused(sut, _id) || !_id.startsWith(makeId(now, NO_RANDOM))

/** Whether what was known of a SUT when it was chosen does not hold any more. */
export const isUnfit = (sut: ExistingSut, { criteria, holderScope, offer }: Match, now: number): boolean =>
  sut.status === 'retired' ||
  !sut.values.is_active ||
  (criteria !== undefined && !makeFit(criteria)(profileOf(sut.values, sut.tags))) ||
  !fits(sut.tags, holderScope ?? {}) ||
  (offer !== undefined && isOver(sut, offer, now))

/** Closes an offer of a SUT: its reservation is not made any more. `[]` means that it has been made, or closed before. */
export interface RefuseOffer {
  readonly type: 'RefuseOffer'
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
}

const isSettled = ({ settledOffers }: SutState, offerId: string, asTaken: boolean): boolean =>
  settledOffers.some(({ _id, isTaken }) => _id === offerId && isTaken === asTaken)

export const isOfferRefused = (state: SutState, _id: string): boolean => isSettled(state, _id, false)
/** Whether the reservation of an offer has been made. */
export const isOfferTaken = (state: SutState, _id: string): boolean => isSettled(state, _id, true)

export const refuseOffer = (state: SutState, { _id, sut_id, user_id }: RefuseOffer): Decision => {
  if (isOfferTaken(state, _id) || isOfferRefused(state, _id)) return E.right([])
  return E.right([{ type: 'ReservationOfferRefused', data: { _id, sut_id, user_id } }])
}
