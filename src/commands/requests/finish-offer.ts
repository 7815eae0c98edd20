import * as E from 'fp-ts/lib/Either.js'
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts'
import { type Choice, requestDecider } from '../../domain/request/decide.ts'
import type { OfferedRequest, RequestsState } from '../../domain/request/queue.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { isOfferRefused } from '../../domain/reservation/match.ts'
import type { WindowLimits } from '../../domain/reservation/window-limits.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { type RandomHex, REQUESTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import { instantAt, type OffsetTime } from '../../domain/values/instant.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import type { Outcome, Runner } from '../command-envelope.ts'
import { SCHEDULE } from '../log-events.ts'
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

/** What became of an offer in the stream of its SUT: the reservation, or why it cannot be made any more. */
export type Settled = { readonly made: Outcome<unknown> } | { readonly refused: Failure }

/** What is offered next, at a time in Unix milliseconds. */
export interface NextOffer {
  readonly choice: Choice
  readonly at: number
}

/**
 * Ends offers. Any number of instances may do so for the same offer at the same time. Left: it is not certain what became
 * of it, try again.
 */
export interface FinishOffer {
  readonly finish: (request: OfferedRequest, requestId: string) => Promise<E.Either<Failure, Outcome<RequestsState>>>
  /** The first of its two steps: the reservation, or the end of the offer. */
  readonly settle: (request: OfferedRequest, requestId: string) => Promise<E.Either<Failure, Settled>>
  /** The second: what the stream of requests says of it. `next` is for a request that does not wait. */
  readonly end: (
    request: OfferedRequest,
    settled: Settled,
    requestId: string,
    next?: NextOffer,
  ) => Promise<E.Either<Failure, Outcome<RequestsState>>>
}

/** How long an offer is taken up after it was made. */
const OFFER_LIFETIME_MS = 60_000
/** Refusals after which it is not known whether the offer can still be taken up. */
const PASSING: readonly FailureCode[] = ['unavailable', 'outcome_unknown', 'store_full', 'clock_ahead', 'clock_behind']

const timeOf = (seconds: number, offset: number): OffsetTime => ({ instant: instantAt(seconds * 1000), offset })

/** It is so old, or so far ahead that a wrong clock made it, whose time must not get into the stream of the SUT. */
const outdated = (): Failure => failure('no_sut_free', 'The offer is too old.')

export const makeFinishOffer = (options: FinishOfferOptions): FinishOffer => {
  const { runner, quotas, limits, personOf, waitForViews, clock, randomHex } = options

  const reserve = (request: OfferedRequest, requestId: string): Promise<E.Either<Failure, Outcome<unknown>>> => {
    const { _id, user_id, asker, client, reason, match: criteria, keepalive, create, offer } = request
    const { sut_id, time, start, end, startOffset, endOffset } = offer
    const holder = personOf(user_id)
    const window = { form: 'explicit', start: timeOf(start, startOffset), end: timeOf(end, endOffset) } as const
    const { isBeyondQuota = false, key } = create ?? {}
    const command = {
      ...({ type: 'CreateReservation', actor: asker, sut_id, user_id, userExists: holder !== undefined } as const),
      ...{ window, limits, keepalive, isBeyondQuota },
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

  const settle: FinishOffer['settle'] = async (request, requestId) => {
    const { sut_id, user_id, sut_reservation_id: _id, time } = request.offer
    const isOutdated = Math.abs(clock() - time) > OFFER_LIFETIME_MS
    const made = isOutdated ? E.left(outdated()) : await reserve(request, requestId)
    if (E.isRight(made)) {
      // So that the SUT does not look free once the request is granted.
      await waitForViews(made.right.storePosition)
      return E.right({ made: made.right })
    }
    if (PASSING.includes(made.left.code)) return made
    const command = { type: 'RefuseOffer', _id, sut_id, user_id } as const
    const closed = await runner.run(reservationDecider, sutStream(sut_id), { command, actor: SCHEDULE, requestId })
    if (E.isLeft(closed)) return closed
    return E.right(isOfferRefused(closed.right.state, _id) ? { refused: made.left } : { made: closed.right })
  }

  const end: FinishOffer['end'] = ({ _id, offer: { sut_reservation_id } }, settled, requestId, next) => {
    const outcome = 'made' in settled ? 'granted' : 'closed'
    const command = { type: 'EndOffer', _id, sut_reservation_id, outcome, next: next?.choice } as const
    return runner.run(requestDecider, REQUESTS_STREAM, { command, actor: SCHEDULE, requestId, at: next?.at })
  }

  const finish: FinishOffer['finish'] = async (request, requestId) => {
    const settled = await settle(request, requestId)
    return E.isLeft(settled) ? settled : end(request, settled.right, requestId)
  }

  return { finish, settle, end }
}
