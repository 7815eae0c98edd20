import * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure } from '../../domain/failure.ts'
import { RECORD_LIFETIME_MS } from '../../domain/idempotency-records.ts'
import { type MatchOffer, matchDecider } from '../../domain/matching/decide.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { isOfferRefused } from '../../domain/reservation/match.ts'
import type { SutState } from '../../domain/sut/state.ts'
import { matchStream, type RandomHex, sutStream } from '../../domain/values/ids.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Outcome, Runner, Sender } from '../command-envelope.ts'
import { keyReused } from '../failures.ts'
import { findRecorded, type IdempotencyKey, keyNames } from '../idempotency-key.ts'

/** The offers for one request with an idempotency key. They are in a stream of the key, so that each instance finds them. */
export interface Offers {
  /** The last offer, unless it is so old that the key is not known any more. Left also if the key is another request's. */
  readonly last: () => Promise<E.Either<Failure, MatchOffer | undefined>>
  /** Offers a SUT in place of the last offer, which has been closed. If another instance was faster, its offer. */
  readonly make: (
    sutId: string,
    windowAt: (time: number) => Pick<MatchOffer, 'user_id' | 'start_time' | 'end_time'>,
  ) => Promise<E.Either<Failure, MatchOffer>>
}

export interface OffersOptions {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
}

/** How long an offer is taken up after it was made. */
const OFFER_LIFETIME_MS = 60_000

const unread = (): E.Either<Failure, never> =>
  E.left(failure('unavailable', 'The event store cannot be read. Try again.'))

/** What cannot be read before anything is recorded. */
export const orUnavailable = async <A>(read: () => Promise<E.Either<Failure, A>>): Promise<E.Either<Failure, A>> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof StoreUnavailable) return unread()
    throw error
  }
}

/** Whether an offer can only be closed: it is so old, or so far ahead that a wrong clock made it. */
export const isOutdated = ({ time }: { readonly time: number }, now: number): boolean =>
  Math.abs(now - time) > OFFER_LIFETIME_MS

/** Closes an offer. False if its reservation has been made; otherwise it is not made any more. */
export const closeOffer = async (
  runner: Pick<Runner, 'run'>,
  { idempotencyKey, ...sender }: Sender,
  { _id, sut_id, user_id }: Pick<MatchOffer, '_id' | 'sut_id' | 'user_id'>,
): Promise<E.Either<Failure, boolean>> => {
  const command = { type: 'RefuseOffer', _id, sut_id, user_id, keys: idempotencyKey?.candidates ?? [] } as const
  const closed = await runner.run(reservationDecider, sutStream(sut_id), { ...sender, command })
  return E.map(({ state }: Outcome<SutState>) => isOfferRefused(state, _id))(closed)
}

export const makeOffers = (
  { runner, clock, randomHex }: OffersOptions,
  sender: Sender,
  idempotencyKey: IdempotencyKey,
): Offers => {
  const [current = '', ...former] = keyNames(idempotencyKey)
  let name = current
  let last: MatchOffer | undefined
  /** Whether the key has to be recorded with the next offer. */
  let isNew = true

  return {
    last: () =>
      orUnavailable(async () => {
        for (const each of [current, ...former]) {
          const { offer, isReused } = await runner.inspect(matchDecider, matchStream(each), ({ offer, keys }) => ({
            offer,
            isReused: findRecorded(keys, idempotencyKey) === 'reused',
          }))
          const isKnown = offer !== undefined && offer.time > clock() - RECORD_LIFETIME_MS
          // Of a former vault key, only what goes on counts.
          if (each === current || isKnown) {
            name = each
            last = offer
          }
          if (!isKnown) continue
          isNew = false
          return isReused ? E.left(keyReused()) : E.right(offer)
        }
        return E.right(undefined)
      }),
    make: (sutId, windowAt) =>
      orUnavailable(async () => {
        // The reservation is to be made at the time of its offer, which may not be before what its SUT has recorded.
        const at = Math.max(clock(), await runner.inspect(reservationDecider, sutStream(sutId), ({ time }) => time))
        const offered = { sut_id: sutId, ...windowAt(at) }
        const made = await runner.run(matchDecider, matchStream(name), {
          ...sender,
          idempotencyKey: isNew ? idempotencyKey : undefined,
          command: { type: 'OfferMatch', offered, after: last?._id, random: randomHex(8) },
          at,
        })
        if (E.isLeft(made)) return made
        isNew = false
        const { offer } = made.right.state
        if (offer === undefined) throw new Error('a SUT was offered without an event')
        last = offer
        return E.right(offer)
      }),
  }
}
