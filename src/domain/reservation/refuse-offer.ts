import * as E from 'fp-ts/lib/Either.js'
import type { Event } from '../event.ts'
import type { Failure } from '../failure.ts'
import { findRecord } from '../idempotency-records.ts'
import type { SutState } from '../sut/state.ts'

/** Closes an offer of a SUT: its reservation is not made any more. `[]` means that it has been made, or closed before. */
export interface RefuseOffer {
  readonly type: 'RefuseOffer'
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
  /** The recorded values that the idempotency key of the request may have. */
  readonly keys: readonly string[]
}

export const isOfferRefused = ({ refusedOffers }: SutState, _id: string): boolean =>
  refusedOffers.some((refused) => refused._id === _id)

export const refuseOffer = (
  state: SutState,
  { _id, sut_id, user_id, keys }: RefuseOffer,
): E.Either<Failure, readonly Event[]> => {
  const isMade = keys.some((key) => findRecord(state.keys, key) !== undefined)
  if (isMade || isOfferRefused(state, _id)) return E.right([])
  return E.right([{ type: 'ReservationOfferRefused', data: { _id, sut_id, user_id } }])
}
