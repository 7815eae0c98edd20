import * as E from 'fp-ts/lib/Either.js'
import { type ResolvedWindow, resolveWindow } from '../../domain/calendar/window.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { bodyProblem, type Failure, failure, type OfferedWindow } from '../../domain/failure.ts'
import type { Candidates, FreeWindow, Search } from '../../domain/matching/candidates.ts'
import type { MatchOffer } from '../../domain/matching/decide.ts'
import { type Asked, type CreateReservation, refuseBeforeSearch } from '../../domain/reservation/create.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import type { QuotaUse } from '../../domain/reservation/quota.ts'
import type { SutState } from '../../domain/sut/state.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { formatWithOffset } from '../../domain/values/instant.ts'
import type { Outcome, Sender } from '../command-envelope.ts'
import { clockAhead } from '../failures.ts'
import { closeOffer, isOutdated, makeOffers, type OffersOptions, orUnavailable } from './offers.ts'

/** A request for any SUT that fits criteria. */
export interface MatchRequest extends Asked {
  readonly criteria: Criteria
  /** The actor's; without one, every SUT. */
  readonly scope: Scope | undefined
  /** The holder's; without one, every SUT. */
  readonly holderScope: Scope | undefined
  readonly quota: QuotaUse | undefined
}

export interface MatchedOptions extends OffersOptions {
  /** Whether other instances may use the log, so that one may go on with what another has begun. */
  readonly isShared: boolean
  /** @throws StoreUnavailable if SUTs cannot be compared now */
  readonly search: (search: Search) => Promise<Candidates>
  /** Finds out whether a SUT that is free now is for somebody who waits. @throws StoreUnavailable */
  readonly awaited: () => Promise<(sutId: string) => boolean>
  /** Whether the clock is ahead, so that nothing may be decided. */
  readonly isClockAhead: () => boolean
  /** Waits until what other instances have recorded is known here. False if that takes too long. */
  readonly catchUp: () => Promise<boolean>
}

/** A reservation that was made for a request with criteria. */
export interface Matched {
  readonly sutId: string
  readonly outcome: Outcome<SutState>
}

/** What came of one SUT: undefined means that the next is tried. */
type Tried = E.Either<Failure, Matched> | undefined

/** How often SUTs are looked for: each time but the first after catching up with the store. */
const LOOKS_MAX = 4
/** SUTs that are passed over in one look because they are for others. They are granted in the next milliseconds. */
const AWAITED_MAX = 8

const NOT_AWAITED = (): boolean => false

/** Whether a request is for now. Only then it is behind those who wait. */
const isForNow = ({ window }: MatchRequest): boolean => window.form === 'relative' && window.startIn === 0

export const behindLog = (): Failure => failure('unavailable', 'This instance is behind the log. Try again.')

/** Refusals that concern one SUT. */
const isOfOne = ({ code }: Failure): boolean => code === 'no_sut_free' || code === 'sut_not_found'

const formatted = (free: FreeWindow | undefined, { start: { offset } }: ResolvedWindow): OfferedWindow | null =>
  free === undefined
    ? null
    : {
        sut_id: free.sut_id,
        start_time: formatWithOffset(free.start, offset),
        end_time: formatWithOffset(free.end, offset),
      }

/** Refuses a request that fits no SUT, or none that is free, and says what helps. */
export const refuseAll = (candidates: Candidates, resolved: ResolvedWindow): E.Either<Failure, never> => {
  const { matching, nextAvailable, longest } = candidates.explain()
  if (matching === 0) {
    const problems = [bodyProblem('invalid', 'match', 'fits no SUT')]
    return E.left(failure('no_sut_matches', 'No SUT fits these criteria.', { problems }))
  }
  const help = {
    matching,
    next_available: formatted(nextAvailable, resolved),
    longest: formatted(longest, resolved),
  }
  const detail = `None of the SUTs that fit, ${matching} in all, is active, online and free in this window.`
  return E.left(failure('no_sut_free', detail, { help }))
}

/** Tries single SUTs for a request. */
const makeTry = ({ runner, clock, randomHex }: MatchedOptions, sender: Sender, request: MatchRequest) => {
  const { criteria, holderScope, ...asked } = request

  const create = (sut_id: string, offer: MatchOffer | undefined): Promise<E.Either<Failure, Outcome<SutState>>> => {
    const match = { criteria, holderScope, offer }
    const command: CreateReservation = { type: 'CreateReservation', ...asked, sut_id, match, random: randomHex(8) }
    return runner.run(reservationDecider, sutStream(sut_id), { ...sender, command, at: offer?.time })
  }

  const withoutOffer = async (sutId: string): Promise<Tried> => {
    const made = await create(sutId, undefined)
    if (E.isLeft(made)) return isOfOne(made.left) ? undefined : made
    return E.right({ sutId, outcome: made.right })
  }

  const takeUp = async (offer: MatchOffer): Promise<E.Either<Failure, Matched>> =>
    E.map((outcome: Outcome<SutState>) => ({ sutId: offer.sut_id, outcome }))(await create(offer.sut_id, offer))

  /** Undefined once no reservation can be made of the offer any more. */
  const close = async (offer: MatchOffer): Promise<Tried> => {
    const closed = await closeOffer(runner, sender, offer)
    if (E.isLeft(closed)) return closed
    return closed.right ? undefined : takeUp(offer)
  }

  const withOffer = async (offer: MatchOffer): Promise<Tried> => {
    // The time of a wrong clock must not get into the stream of the SUT.
    if (isOutdated(offer, clock())) return close(offer)
    const made = await takeUp(offer)
    if (E.isRight(made)) return made
    if (isOfOne(made.left)) return close(offer)
    if (made.left.code !== 'quota_exceeded') return made
    return (await close(offer)) ?? made
  }

  return { withoutOffer, withOffer }
}

/**
 * Reserves the first of the SUTs that fit, in the order of candidates. With an idempotency key, a SUT is offered in a
 * stream of the key before it is reserved, so that a retry goes on from it, and no second one is reserved. An embedded
 * store needs no offer for the first SUT: a retry finds the key of the reservation itself.
 */
export const createMatched = async (
  options: MatchedOptions,
  sender: Sender,
  request: MatchRequest,
): Promise<E.Either<Failure, Matched>> => {
  const { clock, isShared, search, awaited, catchUp, isClockAhead } = options
  if (isClockAhead()) return E.left(clockAhead())
  const began = refuseBeforeSearch(request, clock())
  if (E.isLeft(began)) return began
  const { idempotencyKey } = sender
  const offers = idempotencyKey && makeOffers(options, sender, idempotencyKey)
  const { withoutOffer, withOffer } = makeTry(options, sender, request)
  const open = offers === undefined ? E.right(undefined) : await offers.last()
  if (E.isLeft(open)) return open
  let isOffering = isShared || open.right !== undefined
  let ended: Tried = open.right && (await withOffer(open.right))

  const tryOne = async (sutId: string): Promise<Tried> => {
    if (offers === undefined || !isOffering) {
      isOffering = true
      return withoutOffer(sutId)
    }
    const offer = await offers.make(sutId, (time) => windowFor(request, time))
    return E.isLeft(offer) ? offer : withOffer(offer.right)
  }

  let isFirst = true
  for (let look = 1; ended === undefined; look++) {
    const resolved = resolveWindow(request.window, clock())
    const found = await orUnavailable(async () => {
      if (look > 1 && !(await catchUp())) return E.left(behindLog())
      const candidates = await search(searchFor(request, sender, resolved, clock()))
      return E.right({ candidates, isAwaited: isForNow(request) ? await awaited() : NOT_AWAITED })
    })
    if (E.isLeft(found)) return found
    const { candidates, isAwaited } = found.right
    let [tried, passed] = [0, 0]
    for (const next of candidates.inOrder(isFirst)) {
      isFirst = false
      if (isAwaited(next)) {
        if (++passed === AWAITED_MAX) break
        continue
      }
      tried++
      ended = await tryOne(next)
      if (ended !== undefined) return ended
    }
    if ((look > 1 && tried === 0) || look === LOOKS_MAX) ended = refuseAll(candidates, resolved)
  }
  return ended
}

const searchFor = (
  { criteria, scope, holderScope, limits }: MatchRequest,
  { requestId }: Sender,
  { gridded }: ResolvedWindow,
  now: number,
): Search => ({
  criteria,
  scopes: [scope, holderScope].filter((each) => each !== undefined),
  window: gridded,
  latest: (now + limits.horizon) / 1000,
  seed: requestId,
})

/** What an offer says of the reservation: its window as it would be at a time. */
const windowFor = ({ window, user_id }: MatchRequest, time: number) => {
  const { start, end, gridded } = resolveWindow(window, time)
  return {
    user_id,
    start_time: formatWithOffset(gridded.start, start.offset),
    end_time: formatWithOffset(gridded.end, end.offset),
  }
}
