import * as E from 'fp-ts/lib/Either.js'
import type { ResolvedWindow } from '../../domain/calendar/window.ts'
import { bodyProblem, type Failure, failure, type OfferedWindow, refuse } from '../../domain/failure.ts'
import type { IdempotencyRecord } from '../../domain/idempotency-records.ts'
import type { Candidates, FreeWindow, Search } from '../../domain/matching/candidates.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import type { Grants } from '../../domain/request/rank.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { formatWithOffset } from '../../domain/values/instant.ts'
import type { Runner, Sender } from '../command-envelope.ts'
import { keyReused, orUnavailable } from '../failures.ts'
import { findRecorded } from '../idempotency-key.ts'

/** What requests that wait and reservations of any SUT are both looked for with. */
export interface SearchOptions {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  /** @throws StoreUnavailable if SUTs cannot be compared now */
  readonly search: (search: Search) => Promise<Candidates>
  /** Waits until what other instances have recorded is known here. False if that takes too long. */
  readonly catchUp: () => Promise<boolean>
  /** Whether the clock is ahead, so that nothing may be decided. */
  readonly isClockAhead: () => boolean
  /** What is known of those who wait, and of one more user. @throws StoreUnavailable */
  readonly grantsFor: (...userIds: readonly string[]) => Promise<Grants>
  /** Milliseconds for which those who wait could have kept their requests alive here. */
  readonly reachableFor: () => number
}

/** SUTs that a request is compared with. One that goes before it can take a few of them at most. */
export const CANDIDATES_MAX = 8

/** Where there is nobody to compare with. */
export const NOBODY: Grants = { windowFor: () => undefined, mayHave: () => false }

export const behindLog = (): Failure => failure('unavailable', 'This instance is behind the log. Try again.')

/** The request that was recorded under the idempotency key before. */
export const findPrevious = (
  runner: Pick<Runner, 'inspect'>,
  { idempotencyKey }: Pick<Sender, 'idempotencyKey'>,
): Promise<E.Either<Failure, IdempotencyRecord | undefined>> =>
  orUnavailable(async () => {
    if (idempotencyKey === undefined) return E.right(undefined)
    const previous = await runner.inspect(requestDecider, REQUESTS_STREAM, ({ keys }) =>
      findRecorded(keys, idempotencyKey),
    )
    return previous === 'reused' ? E.left(keyReused()) : E.right(previous)
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
