import * as E from 'fp-ts/lib/Either.js'
import type { Failure, FailureCode } from '../../domain/failure.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import type { Offer, OfferedRequest, RequestsState } from '../../domain/request/queue.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import type { Offered } from '../../domain/reservation/match.ts'
import type { WindowLimits } from '../../domain/reservation/window-limits.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { type RandomHex, REQUESTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import { formatWithOffset } from '../../domain/values/instant.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import type { Outcome, Runner } from '../command-envelope.ts'
import { SCHEDULE } from '../log-events.ts'
import { closeOffer, isOutdated } from '../matching/offers.ts'
import type { Quotas } from '../quotas.ts'

export interface FinishOfferOptions {
  readonly runner: Pick<Runner, 'run'>
  readonly quotas: Pick<Quotas, 'run'>
  readonly limits: WindowLimits
  /** Whether there is such a user, and the tags of the SUTs that it may see. */
  readonly personOf: (userId: string) => { readonly scope?: Scope } | undefined
  /** Resolves once the views have come to a store position, or have not in time. */
  readonly waitForViews: (storePosition: StorePosition) => Promise<boolean> | boolean
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
}

/** Refusals after which it is not known whether the offer can still be taken up. */
const PASSING: readonly FailureCode[] = ['unavailable', 'outcome_unknown', 'store_full', 'clock_ahead', 'clock_behind']

const toOffered = ({ sut_reservation_id, sut_id, user_id, start, end }: Offer): Offered => ({
  _id: sut_reservation_id,
  end_time: formatWithOffset(end, 0),
  start_time: formatWithOffset(start, 0),
  sut_id,
  user_id,
})

/**
 * Makes the function that ends an offer: by the reservation or, if that cannot be made any more, by closing it. Any
 * number of instances may do so for the same offer at the same time. Left: neither is certain yet, try again.
 */
export const makeFinishOffer = ({
  runner,
  quotas,
  limits,
  personOf,
  waitForViews,
  clock,
  randomHex,
}: FinishOfferOptions) => {
  const reserve = (request: OfferedRequest, requestId: string): Promise<E.Either<Failure, Outcome<unknown>>> => {
    const { _id, user_id, asker, client, match: criteria, duration, keepalive, offer } = request
    const { sut_id, time } = offer
    const holder = personOf(user_id)
    const match = { criteria, holderScope: holder?.scope, sut_request_id: _id, offer: toOffered(offer) }
    const command = {
      ...({ type: 'CreateReservation', actor: asker, sut_id, user_id, userExists: holder !== undefined } as const),
      ...{ window: { form: 'relative', startIn: 0, duration } as const, limits, keepalive, match },
      ...{ scope: personOf(asker._id)?.scope, random: randomHex(8) },
    }
    return quotas.run(user_id, (quota) =>
      runner.run(reservationDecider, sutStream(sut_id), {
        ...{ command: { ...command, quota }, actor: asker, client, requestId, at: time },
      }),
    )
  }

  /** Whether the reservation has been made. It is not made any more otherwise. */
  const close = async ({ offer }: OfferedRequest, requestId: string): Promise<E.Either<Failure, boolean>> => {
    const closed = await closeOffer(runner, { actor: SCHEDULE, requestId }, toOffered(offer))
    return E.map((isClosed: boolean) => !isClosed)(closed)
  }

  const settle = async (request: OfferedRequest, requestId: string): Promise<E.Either<Failure, boolean>> => {
    // The time of a wrong clock must not get into the stream of the SUT.
    if (isOutdated(request.offer, clock())) return close(request, requestId)
    const made = await reserve(request, requestId)
    if (E.isLeft(made)) return PASSING.includes(made.left.code) ? made : close(request, requestId)
    // So that the SUT does not look free once the request is granted.
    await waitForViews(made.right.storePosition)
    return E.right(true)
  }

  return async (request: OfferedRequest, requestId: string): Promise<E.Either<Failure, Outcome<RequestsState>>> => {
    const settled = await settle(request, requestId)
    if (E.isLeft(settled)) return settled
    const { _id, offer } = request
    const outcome = settled.right ? 'granted' : 'closed'
    const command = { type: 'EndOffer', _id, sut_reservation_id: offer.sut_reservation_id, outcome } as const
    return runner.run(requestDecider, REQUESTS_STREAM, { command, actor: SCHEDULE, requestId })
  }
}

export type FinishOffer = ReturnType<typeof makeFinishOffer>
