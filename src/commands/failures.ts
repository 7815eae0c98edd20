import { type Failure, failure, invalid } from '../domain/failure.ts'
import type { AppendFailure } from '../event-store/event-store.ts'

/** Failures of the command loop itself. */

export const clockAhead = (): Failure =>
  failure(
    'clock_ahead',
    "The service's clock has run ahead. Nothing is recorded until it is right again or an operator confirms it.",
  )

/** The failure for an append that failed for another reason than a conflict. */
export const appendFailure = (why: Exclude<AppendFailure, 'moved'>): Failure => {
  switch (why) {
    case 'full':
      return failure('store_full', 'The event store has no room left; what was asked for was not recorded.')
    case 'unavailable':
      return failure('unavailable', 'The event store cannot be reached; what was asked for was not recorded.')
    case 'unknown':
      return failure(
        'outcome_unknown',
        'The answer of the event store was lost: it may or may not be recorded. Repeat the request with the same Idempotency-Key, or look.',
      )
  }
}

export const keyReused = (): Failure =>
  invalid([
    {
      code: 'idempotency_key_reused',
      path: ['Idempotency-Key'],
      in: 'header',
      detail: 'came with another request before; use a new one',
    },
  ])
