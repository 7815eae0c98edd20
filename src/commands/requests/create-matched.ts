import * as E from 'fp-ts/lib/Either.js'
import { resolveWindow } from '../../domain/calendar/window.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import type { Failure } from '../../domain/failure.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { findWaiting, hasOffer, type OfferedRequest } from '../../domain/request/queue.ts'
import { type Asked, refuseBeforeSearch } from '../../domain/reservation/create.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import type { Outcome, Sender } from '../command-envelope.ts'
import { appendFailure, clockAhead, orUnavailable } from '../failures.ts'
import { refuseUncounted } from '../quotas.ts'
import { type Choice, findOffered, findPrevious, type MakingParts, makeLook, NOBODY } from './search.ts'

interface MatchRequest extends Asked {
  readonly criteria: Criteria
  readonly keepalive?: number | undefined
  /** Of the actor and of the holder; without one, every SUT. */
  readonly scopes: readonly Scope[]
}

/** The reservation that was made. */
interface Matched {
  readonly _id: string
  readonly sutId: string
  readonly outcome: Pick<Outcome<unknown>, 'kind' | 'revision' | 'storePosition'>
}

/** SUTs that are offered one after the other, because somebody else was faster. */
const OFFERS_MAX = 8

const isNoneFree = ({ code }: Failure): boolean => code === 'no_sut_free' || code === 'no_sut_matches'

/** Records the request with its offer. Undefined if another instance has, and it has ended since. */
const makeBegin =
  (parts: MakingParts) =>
  async (
    sender: Sender,
    request: MatchRequest,
    { at, ...choice }: Choice,
  ): Promise<E.Either<Failure, OfferedRequest | undefined>> => {
    const { runner, quotas, reachableFor, clock, randomHex } = parts
    const { actor, user_id, criteria, window, keepalive, isBeyondQuota = false } = request
    const { gridded } = resolveWindow(window, clock())
    const use = isBeyondQuota || isForbidden(actor, user_id) ? undefined : (await quotas.usesOf([user_id]))(user_id)
    if (use === 'unknown') return refuseUncounted()
    const asked = {
      ...(isBeyondQuota && { beyond_quota: true }),
      duration: window.form === 'relative' ? window.duration : gridded.end - gridded.start,
      ...(keepalive !== undefined && { keepalive }),
      ...{ match: criteria, priority: 0, user_id },
    }
    const command = {
      ...({ type: 'MakeRequest', actor, ...choice, window, wait: 0, quota: use, request: asked } as const),
      ...{ reachableFor: reachableFor(), random: randomHex(8), reservationRandom: randomHex(8) },
    }
    const result = await runner.run(requestDecider, REQUESTS_STREAM, { ...sender, command, at })
    if (E.isLeft(result)) return result
    const own = result.right.kind === 'already' ? undefined : findWaiting(result.right.state.queue, result.right.id)
    return E.right(own && hasOffer(own) ? own : undefined)
  }

/**
 * Makes the function that reserves the best of the SUTs that fit and are free. It is a request that does not wait: it is
 * recorded with the offer of a SUT, and ends with it. If the SUT could not be had, another is made for the next. A retry
 * finds the request by its key and goes on with the offer, as does whoever grants SUTs after a crash.
 */
export const makeCreateMatched = (parts: MakingParts) => {
  const { finishOffer, grantsFor, isClockAhead, clock } = parts
  const [look, begin] = [makeLook(parts), makeBegin(parts)]

  return async (sender: Sender, request: MatchRequest): Promise<E.Either<Failure, Matched>> => {
    if (isClockAhead()) return E.left(clockAhead())
    const refused = refuseBeforeSearch(request, clock())
    if (refused !== undefined) return refused
    const previous = await findPrevious(parts, sender)
    if (E.isLeft(previous)) return previous
    const { criteria, scopes, window } = request
    const wanted = { criteria, scopes, window, seed: sender.requestId }
    // Only what is for now is behind those who wait.
    const isForNow = window.form === 'relative' && window.startIn === 0
    const tried = new Set<string>()
    /** Undefined if the SUT could not be had, but another may be. */
    const take = async (offered: OfferedRequest): Promise<E.Either<Failure, Matched> | undefined> => {
      const { sut_id: sutId, sut_reservation_id: _id } = offered.offer
      const settled = await finishOffer(offered, sender.requestId)
      if (E.isLeft(settled)) return E.left(appendFailure('unknown'))
      if ('made' in settled.right) return E.right({ _id, sutId, outcome: settled.right.made })
      tried.add(sutId)
      const { refused } = settled.right
      // These concern this SUT only.
      return refused.code === 'no_sut_free' || refused.code === 'sut_not_found' ? undefined : E.left(refused)
    }

    const id = previous.right?._id
    if (id !== undefined) {
      const resumed = await orUnavailable(async () => E.right(await findOffered(parts, id)))
      if (E.isLeft(resumed)) return resumed
      const taken = resumed.right && (await take(resumed.right))
      if (taken !== undefined) return taken
    }
    for (let looks = 0; ; looks++) {
      const isFirst = looks === 0 && tried.size === 0
      const seen = await look(wanted, () => (isForNow ? grantsFor() : NOBODY), isFirst ? undefined : tried)
      if (E.isLeft(seen)) return seen
      const { choice, refuse } = seen.right
      const begun = choice === undefined || looks > OFFERS_MAX ? refuse() : await begin(sender, request, choice)
      if (E.isLeft(begun)) {
        if (isFirst && isNoneFree(begun.left)) continue
        return isNoneFree(begun.left) ? refuse() : begun
      }
      const taken = begun.right === undefined ? refuse() : await take(begun.right)
      if (taken !== undefined) return taken
    }
  }
}
