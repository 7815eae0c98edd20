import { type Failure, failure, invalid } from '../domain/failure.ts'
import type { AppendFailure } from '../event-store/event-store.ts'

/** Failures of the command loop itself. */

export const clockAhead = (): Failure =>
  failure(
    'clock_ahead',
    "The service's clock is ahead: it has jumped, or it is far past the last event of the log, as after a long idle " +
      'time. Nothing is recorded until it is set or, if it is right, confirmed with: berth clock confirm.',
  )

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
