import * as E from 'fp-ts/lib/Either.js'
import { type RequestedWindow, type ResolvedWindow, resolveWindow } from '../../domain/calendar/window.ts'
import { bodyProblem, type Failure, failure, type OfferedWindow, refuse } from '../../domain/failure.ts'
import type { IdempotencyRecord } from '../../domain/idempotency-records.ts'
import type { Candidates, FreeWindow, Search, Wanted } from '../../domain/matching/candidates.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { findWaiting, hasOffer, type OfferedRequest } from '../../domain/request/queue.ts'
import type { Grants } from '../../domain/request/rank.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import type { WindowLimits } from '../../domain/reservation/window-limits.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { type RandomHex, REQUESTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import { formatWithOffset } from '../../domain/values/instant.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import type { Clock, UnixMilliseconds } from '../../domain/values/units.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Outcome, Runner, Sender } from '../command-envelope.ts'
import { clockBehind, isClockBehind, keyReused, orUnavailable } from '../failures.ts'
import { findRecorded } from '../idempotency-key.ts'
import type { Quotas } from '../quotas.ts'

/** What requests are made and ended with, those that wait and reservations of any SUT. */
export interface RequestParts {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  readonly store: Pick<EventStore, 'readStream'>
  readonly quotas: Pick<Quotas, 'run' | 'usesOf' | 'priorityMaxOf'>
  readonly limits: WindowLimits
  /** Whether there is such a user, and the tags of the SUTs that it may see. */
  readonly personOf: (userId: string) => { readonly scope?: Scope } | undefined
  /** @throws StoreUnavailable if SUTs cannot be compared now */
  readonly search: (search: Search) => Promise<Candidates>
  /** Waits until what other instances have recorded is known here. False if that takes too long. */
  readonly catchUp: () => Promise<boolean>
  /** Resolves once the views have come to a store position, or have not in time. */
  readonly waitForViews: (storePosition: StorePosition) => Promise<boolean> | boolean
  /** What is known of those who wait, and of one more user. @throws StoreUnavailable */
  readonly grantsFor: (...userIds: readonly string[]) => Promise<Grants>
  /** Milliseconds for which those who wait could have kept their requests alive here. */
  readonly reachableFor: () => number
  /** Whether the clock is ahead, so that nothing may be decided. */
  readonly isClockAhead: () => boolean
  readonly clock: Clock
  readonly randomHex: RandomHex
}

/** What became of an offer in the stream of its SUT: the reservation, or why it cannot be made any more. */
type Settled = { readonly made: Outcome<unknown> } | { readonly refused: Failure }

/**
 * Ends an offer. Any number of instances may do so for the same offer at the same time. Left: it is not certain what
 * became of it, try again.
 */
export type FinishOffer = (request: OfferedRequest, requestId: string) => Promise<E.Either<Failure, Settled>>

/** What makes requests, and ends their offers. */
export type MakingParts = RequestParts & { readonly finishOffer: FinishOffer }

/** SUTs that a request is compared with. One that goes before it can take a few of them at most. */
const CANDIDATES_MAX = 8

/** Where there is nobody to compare with. */
export const NOBODY: Grants = { windowFor: () => undefined, mayHave: () => false }

/** The request that was recorded under the idempotency key before. */
export const findPrevious = (
  { runner }: Pick<RequestParts, 'runner'>,
  { idempotencyKey }: Pick<Sender, 'idempotencyKey'>,
): Promise<E.Either<Failure, IdempotencyRecord | undefined>> =>
  orUnavailable(async () => {
    if (idempotencyKey === undefined) return E.right(undefined)
    const previous = await runner.inspect(requestDecider, REQUESTS_STREAM, ({ keys }) =>
      findRecorded(keys, idempotencyKey),
    )
    return previous === 'reused' ? E.left(keyReused()) : E.right(previous)
  })

/** A request that has an open offer. @throws StoreUnavailable */
export const findOffered = (
  { runner }: Pick<RequestParts, 'runner'>,
  _id: string,
): Promise<OfferedRequest | undefined> =>
  runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => {
    const request = findWaiting(queue, _id)
    return request && hasOffer(request) ? request : undefined
  })

const formatted = (free: FreeWindow | undefined, { start: { offset } }: ResolvedWindow): OfferedWindow | null =>
  free === undefined
    ? null
    : {
        sut_id: free.sut_id,
        start_time: formatWithOffset(free.start, offset),
        end_time: formatWithOffset(free.end, offset),
      }

/** Refuses a request that fits no SUT, or none that is free, and says what helps. */
const refuseAll = (candidates: Candidates, resolved: ResolvedWindow): E.Either<Failure, never> => {
  const { matching, nextAvailable, longest } = candidates.explain()
  if (matching === 0) {
    const problems = [bodyProblem('invalid', 'match', 'fits no SUT')]
    return refuse('no_sut_matches', 'No SUT fits these criteria.', { problems })
  }
  const help = {
    matching,
    next_available: formatted(nextAvailable, resolved),
    longest: formatted(longest, resolved),
  }
  const detail = `None of the SUTs that fit, ${matching} in all, is active, online and free in this window.`
  return refuse('no_sut_free', detail, { help })
}

/** What a request is offered. */
export interface Choice {
  /** The SUTs that it could be granted, the best first. Each decision goes through them anew. */
  readonly candidates: Iterable<string>
  readonly grants: Grants
  readonly at: UnixMilliseconds
}

interface Look {
  /** Undefined if none is free. */
  readonly choice: Choice | undefined
  readonly isAnyFit: () => boolean
  /** Where none can be had. */
  readonly refuse: () => E.Either<Failure, never>
}

/** Makes the function that looks for the SUTs that fit and are free. */
export const makeLook =
  ({ runner, limits, search, catchUp, clock }: RequestParts) =>
  (
    wanted: Wanted & { readonly window: RequestedWindow; readonly seed: string },
    grantsOf: () => Grants | Promise<Grants>,
    /** SUTs that could not be had; undefined for the first look, before what others have recorded is read. */
    tried?: ReadonlySet<string>,
  ): Promise<E.Either<Failure, Look>> =>
    orUnavailable(async () => {
      if (tried !== undefined && !(await catchUp()))
        return E.left(failure('unavailable', 'This instance is behind the log. Try again.'))
      const resolved = resolveWindow(wanted.window, clock())
      const latest = (clock() + limits.horizon) / 1000
      const candidates = await search({ ...wanted, window: resolved.gridded, latest })
      const { isAnyFit } = candidates
      const refuse = () => refuseAll(candidates, resolved)
      // One that was tried and is free was only offered too late.
      const best = candidates.choose(tried)
      if (best === undefined) return E.right({ choice: undefined, isAnyFit, refuse })
      // The reservation is to be made at the time of its offer, which may not be before what its SUT has recorded.
      const time = await runner.inspect(reservationDecider, sutStream(best), (state) => state.time)
      if (isClockBehind(clock(), time)) return E.left(clockBehind())
      const inOrder = { [Symbol.iterator]: () => candidates.inOrder(best).take(CANDIDATES_MAX) }
      const choice = { candidates: inOrder, grants: await grantsOf(), at: Math.max(clock(), time) }
      return E.right({ choice, isAnyFit, refuse })
    })
