import * as E from 'fp-ts/lib/Either.js'
import { type Failure, type FailureCode, refuse } from '../../domain/failure.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import type { OfferedRequest } from '../../domain/request/queue.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { isOfferRefused } from '../../domain/reservation/match.ts'
import { REQUESTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import { instantAt, type OffsetTime } from '../../domain/values/instant.ts'
import type { Outcome } from '../command-envelope.ts'
import { SCHEDULE } from '../log-events.ts'
import type { FinishOffer, RequestParts } from './search.ts'

/** How long an offer is taken up after it was made. */
const OFFER_LIFETIME_MS = 60_000
/** Refusals after which it is not known whether the offer can still be taken up. */
const PASSING: readonly FailureCode[] = ['unavailable', 'outcome_unknown', 'store_full', 'clock_ahead', 'clock_behind']

const timeOf = (seconds: number, offset: number): OffsetTime => ({ instant: instantAt(seconds * 1000), offset })

export const makeFinishOffer = (
  parts: Pick<RequestParts, 'runner' | 'quotas' | 'limits' | 'personOf' | 'waitForViews' | 'clock' | 'randomHex'>,
): FinishOffer => {
  const { runner, quotas, limits, personOf, waitForViews, clock, randomHex } = parts

  const reserve = (request: OfferedRequest, requestId: string): Promise<E.Either<Failure, Outcome<unknown>>> => {
    const { _id, user_id, asker, client, reason, match: criteria, life, create, offer } = request
    const { sut_id, time, start, end, startOffset, endOffset } = offer
    const holder = personOf(user_id)
    const window = { form: 'explicit', start: timeOf(start, startOffset), end: timeOf(end, endOffset) } as const
    const { isBeyondQuota = false, key } = create ?? {}
    const command = {
      ...({ type: 'CreateReservation', actor: asker, sut_id, user_id, userExists: holder !== undefined } as const),
      ...{ window, limits, keepalive: life?.keepalive, isBeyondQuota },
      match: { criteria, holderScope: holder?.scope, sut_request_id: _id, offer },
      ...{ scope: personOf(asker._id)?.scope, random: randomHex(8) },
    }
    const idempotencyKey = key === undefined ? undefined : { current: key, candidates: [key] }
    const run: Parameters<typeof quotas.run<Outcome<unknown>>>[1] = (quota) =>
      runner.run(reservationDecider, sutStream(sut_id), {
        ...{ command: { ...command, quota }, actor: asker, client, reason, idempotencyKey, requestId, at: time },
      })
    return isBeyondQuota ? run(undefined) : quotas.run(user_id, run)
  }

  /** The first of its two steps: the reservation, or the end of the offer. */
  const settle: FinishOffer = async (request, requestId) => {
    const { sut_id, user_id, sut_reservation_id: _id, time } = request.offer
    // So old, or so far ahead that a wrong clock made it, whose time must not get into the stream of the SUT.
    const isOutdated = Math.abs(clock() - time) > OFFER_LIFETIME_MS
    const result = isOutdated ? refuse('no_sut_free', 'The offer is too old.') : await reserve(request, requestId)
    if (E.isRight(result)) {
      // So that the SUT does not look free once the request is granted.
      await waitForViews(result.right.storePosition)
      return E.right({ made: result.right })
    }
    if (PASSING.includes(result.left.code)) return result
    const command = { type: 'RefuseOffer', _id, sut_id, user_id } as const
    const closed = await runner.run(reservationDecider, sutStream(sut_id), { command, actor: SCHEDULE, requestId })
    if (E.isLeft(closed)) return closed
    return E.right(isOfferRefused(closed.right.state, _id) ? { refused: result.left } : { made: closed.right })
  }

  return async (request, requestId) => {
    const settled = await settle(request, requestId)
    if (E.isLeft(settled)) return settled
    const outcome = 'made' in settled.right ? 'granted' : 'closed'
    const { sut_reservation_id } = request.offer
    const command = { type: 'EndOffer', _id: request._id, sut_reservation_id, outcome } as const
    const result = await runner.run(requestDecider, REQUESTS_STREAM, { command, actor: SCHEDULE, requestId })
    // If only this fails of one that was taken up, whoever grants SUTs does it.
    return E.isLeft(result) && outcome === 'closed' ? result : settled
  }
}
