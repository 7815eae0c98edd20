import * as E from 'fp-ts/lib/Either.js'
import type { ResolvedWindow } from '../../domain/calendar/window.ts'
import { bodyProblem, type Failure, failure, type OfferedWindow, refuse } from '../../domain/failure.ts'
import type { IdempotencyRecord } from '../../domain/idempotency-records.ts'
import type { Candidates, FreeWindow, Search } from '../../domain/matching/candidates.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { findWaiting, hasOffer, type OfferedRequest } from '../../domain/request/queue.ts'
import type { Grants } from '../../domain/request/rank.ts'
import type { WindowLimits } from '../../domain/reservation/window-limits.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { type RandomHex, REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { formatWithOffset } from '../../domain/values/instant.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Runner, Sender } from '../command-envelope.ts'
import { keyReused, orUnavailable } from '../failures.ts'
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
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
}

/** SUTs that a request is compared with. One that goes before it can take a few of them at most. */
export const CANDIDATES_MAX = 8

/** Where there is nobody to compare with. */
export const NOBODY: Grants = { windowFor: () => undefined, mayHave: () => false }

export const behindLog = (): Failure => failure('unavailable', 'This instance is behind the log. Try again.')

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
export const refuseAll = (candidates: Candidates, resolved: ResolvedWindow): E.Either<Failure, never> => {
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
