/** Failures of the command loop itself. */

import type * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure, invalid, refuse } from '../domain/failure.ts'
import { type AppendFailure, StoreUnavailable } from '../event-store/event-store.ts'

export const clockAhead = (): Failure =>
  failure(
    'clock_ahead',
    "The service's clock is ahead: it has jumped, or it is far past the last event of the log, as after a long idle " +
      'time. Nothing is recorded until it is set or, if it is right, confirmed with: berth clock confirm.',
  )

/** How far the clock may be behind a stream's last event before commands are refused. */
const CLOCK_BEHIND_MAX_MS = 60_000

/** @param time of the last event of a stream; both in Unix milliseconds */
export const isClockBehind = (clock: number, time: number): boolean => clock < time - CLOCK_BEHIND_MAX_MS

export const clockBehind = (): Failure =>
  failure('clock_behind', "The service's clock is behind the last recorded event.")

/** The failure for an append that failed for another reason than a conflict. */
export const appendFailure = (why: Exclude<AppendFailure, 'moved'>): Failure => {
  switch (why) {
    case 'full':
      return failure('store_full', 'The event store is full. The request was not recorded.')
    case 'unavailable':
      return failure('unavailable', 'The event store cannot be reached. The request was not recorded.')
    case 'unknown':
      return failure(
        'outcome_unknown',
        'The response of the event store was lost, so the request may or may not have been recorded. Repeat it with the same Idempotency-Key, or read the object.',
      )
  }
}

export const keyReused = (): Failure =>
  invalid([
    {
      code: 'idempotency_key_reused',
      path: ['Idempotency-Key'],
      in: 'header',
      detail:
        'belongs to another request; a retry must have the same address and the same bytes, another request a new key',
    },
  ])

/** What cannot be read before anything is recorded. */
export const orUnavailable = async <A>(read: () => Promise<E.Either<Failure, A>>): Promise<E.Either<Failure, A>> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof StoreUnavailable) return refuse('unavailable', 'The event store cannot be read. Try again.')
    throw error
  }
}
