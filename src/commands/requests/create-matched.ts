import * as E from 'fp-ts/lib/Either.js'
import { resolveWindow } from '../../domain/calendar/window.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { type Failure, failure } from '../../domain/failure.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { findWaiting, hasOffer, type OfferedRequest, type Queue } from '../../domain/request/queue.ts'
import { type Asked, refuseBeforeSearch } from '../../domain/reservation/create.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import type { WindowLimits } from '../../domain/reservation/window-limits.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { type RandomHex, REQUESTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import type { Outcome, Sender } from '../command-envelope.ts'
import { appendFailure, clockAhead, clockBehind, isClockBehind, orUnavailable } from '../failures.ts'
import type { Quotas } from '../quotas.ts'
import type { FinishOffer, NextOffer } from './finish-offer.ts'
import { behindLog, CANDIDATES_MAX, findPrevious, NOBODY, refuseAll, type SearchOptions } from './search.ts'

/** A reservation that is asked for with criteria. */
export interface MatchRequest extends Asked {
  readonly criteria: Criteria
  readonly keepalive?: number | undefined
  /** Of the actor and of the holder; without one, every SUT. */
  readonly scopes: readonly Scope[]
}

export interface MatchedOptions extends SearchOptions {
  readonly quotas: Pick<Quotas, 'usesOf'>
  readonly limits: WindowLimits
  readonly finishOffer: Pick<FinishOffer, 'settle' | 'end'>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
}

/** The reservation that was made. */
export interface Matched {
  readonly _id: string
  readonly sutId: string
  readonly outcome: Pick<Outcome<unknown>, 'kind' | 'revision' | 'storePosition'>
}

/** SUTs that are offered one after the other, because somebody else was faster. */
const OFFERS_MAX = 8

/** Whether it is for now. Only then it is behind those who wait. */
const isForNow = ({ window }: MatchRequest): boolean => window.form === 'relative' && window.startIn === 0

/** Refusals that concern one SUT. */
const isOfOne = ({ code }: Failure): boolean => code === 'no_sut_free' || code === 'sut_not_found'

/** What SUTs are chosen by, and the refusal where none can be had. */
interface Look {
  /** Undefined if none is free. */
  readonly next: NextOffer | undefined
  readonly refuse: () => E.Either<Failure, never>
}

/** @param tried SUTs that could not be had; undefined for the first look, before what others have recorded is read */
const makeLook =
  ({ runner, search, catchUp, grantsFor, reachableFor, clock, randomHex }: MatchedOptions) =>
  (sender: Sender, request: MatchRequest, tried?: ReadonlySet<string>): Promise<E.Either<Failure, Look>> =>
    orUnavailable(async () => {
      if (tried !== undefined && !(await catchUp())) return E.left(behindLog())
      const { criteria, scopes, window, limits } = request
      const resolved = resolveWindow(window, clock())
      const latest = (clock() + limits.horizon) / 1000
      const about = { criteria, scopes, window: resolved.gridded, latest, seed: sender.requestId }
      const candidates = await search(about)
      const refuse = () => refuseAll(candidates, resolved)
      // One that was tried and is free was only offered too late.
      const best =
        candidates.inOrder(tried === undefined).find((sutId) => tried?.has(sutId) !== true) ??
        candidates.inOrder(false).find(() => true)
      if (best === undefined) return E.right({ next: undefined, refuse })
      // The reservation is to be made at the time of its offer, which may not be before what its SUT has recorded.
      const time = await runner.inspect(reservationDecider, sutStream(best), (state) => state.time)
      if (isClockBehind(clock(), time)) return E.left(clockBehind())
      const grants = isForNow(request) ? await grantsFor() : NOBODY
      const inOrder = function* (): Generator<string> {
        if (candidates.isFree(best)) yield best
        yield* candidates.inOrder(false).take(CANDIDATES_MAX)
      }
      const choice = {
        candidates: { [Symbol.iterator]: inOrder },
        ...{ window, grants, reachableFor: reachableFor(), reservationRandom: randomHex(8) },
      }
      return E.right({ next: { choice, at: Math.max(clock(), time) }, refuse })
    })

const offeredIn = (queue: Queue, id: string): OfferedRequest | undefined => {
  const request = findWaiting(queue, id)
  return request && hasOffer(request) ? request : undefined
}

type Begun = E.Either<Failure, OfferedRequest | undefined>

/** Records the request with its first offer, unless no SUT can be had. */
const makeBegin =
  (options: MatchedOptions, look: ReturnType<typeof makeLook>) =>
  async (sender: Sender, request: MatchRequest): Promise<Begun> => {
    const { runner, quotas, clock, randomHex } = options
    const { actor, user_id, criteria, window, keepalive, isBeyondQuota = false } = request
    const { gridded } = resolveWindow(window, clock())
    const use = isBeyondQuota || isForbidden(actor, user_id) ? undefined : (await quotas.usesOf([user_id]))(user_id)
    if (use === 'unknown') return E.left(failure('unavailable', 'What the user has reserved cannot be counted now.'))
    const asked = {
      ...(isBeyondQuota && { beyond_quota: true }),
      duration: window.form === 'relative' ? window.duration : gridded.end - gridded.start,
      ...(keepalive !== undefined && { keepalive }),
      ...{ match: criteria, priority: 0, user_id },
    }
    let refuse: Look['refuse'] = () => E.left(behindLog())
    for (const tried of [undefined, new Set<string>()]) {
      const seen = await look(sender, request, tried)
      if (E.isLeft(seen)) return seen
      refuse = seen.right.refuse
      if (seen.right.next === undefined) continue
      const { choice, at } = seen.right.next
      const command = {
        ...({ type: 'MakeRequest', actor, ...choice, wait: 0, quota: use } as const),
        ...{ request: asked, random: randomHex(8) },
      }
      const made = await runner.run(requestDecider, REQUESTS_STREAM, { ...sender, command, at })
      if (E.isRight(made))
        return E.right(made.right.kind === 'already' ? undefined : offeredIn(made.right.state.queue, made.right.id))
      if (made.left.code !== 'no_sut_free') return made
    }
    return refuse()
  }

/**
 * Makes the function that reserves the best of the SUTs that fit and are free. It is a request that does not wait: it is
 * recorded with the offer of a SUT, which has ended when it is answered. If the SUT could not be had, the next is
 * offered. A retry finds the request by its key and goes on with the offer, as does whoever grants SUTs after a crash.
 */
export const makeCreateMatched = (options: MatchedOptions) => {
  const { runner, finishOffer, isClockAhead, clock } = options
  const look = makeLook(options)
  const begin = makeBegin(options, look)

  return async (sender: Sender, request: MatchRequest): Promise<E.Either<Failure, Matched>> => {
    if (isClockAhead()) return E.left(clockAhead())
    const refused = refuseBeforeSearch(request, clock())
    if (refused !== undefined) return refused
    const previous = await findPrevious(runner, sender)
    if (E.isLeft(previous)) return previous
    const id = previous.right?._id
    const begun: Begun =
      id === undefined
        ? await begin(sender, request)
        : await orUnavailable(async () =>
            E.right(await runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => offeredIn(queue, id))),
          )
    if (E.isLeft(begun)) return begun
    let offered = begun.right
    const tried = new Set<string>()
    for (let offers = 1; offered !== undefined; offers++) {
      const { sut_id: sutId, sut_reservation_id: _id } = offered.offer
      const settled = await finishOffer.settle(offered, sender.requestId)
      if (E.isLeft(settled)) return E.left(appendFailure('unknown'))
      if ('made' in settled.right) {
        // If this fails, whoever grants SUTs does it.
        await finishOffer.end(offered, settled.right, sender.requestId)
        return E.right({ _id, sutId, outcome: settled.right.made })
      }
      const failed = settled.right.refused
      tried.add(sutId)
      const mayGoOn = isOfOne(failed) && offers < OFFERS_MAX
      const seen = mayGoOn ? await look(sender, request, tried) : undefined
      const next = seen && E.isRight(seen) ? seen.right.next : undefined
      const ended = await finishOffer.end(offered, settled.right, sender.requestId, next)
      if (E.isLeft(ended)) return ended
      if (!isOfOne(failed)) return E.left(failed)
      offered = offeredIn(ended.right.state.queue, offered._id)
    }
    const last = await look(sender, request, tried)
    return E.isLeft(last) ? last : last.right.refuse()
  }
}
