import * as E from 'fp-ts/lib/Either.js'
import type { NewEvent } from '../domain/event.ts'
import { type Failure, failure } from '../domain/failure.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { Appended, AppendFailure, EventStore } from '../event-store/event-store.ts'

/** How often an append of unknown outcome is repeated. */
const REPEATS_MAX = 5

/** Appends, and repeats an append of unknown outcome until it is known, with the same ids and expected revision. */
export const appendUntilKnown = async (
  store: EventStore,
  stream: string,
  expected: number,
  events: readonly NewEvent[],
  secrets?: readonly SealedSecret[],
): Promise<E.Either<AppendFailure, Appended>> => {
  let result = await store.append(stream, expected, events, secrets)()
  if (E.isRight(result) || result.left !== 'unknown') return result
  for (let i = 0; i < REPEATS_MAX; i++) {
    result = await store.append(stream, expected, events, secrets)()
    if (E.isRight(result) || result.left === 'moved') return result
  }
  // What may have been written stays unknown, even where a later attempt was certainly not.
  return E.left('unknown')
}

/** What a client is told of an append that failed and was not just overtaken. */
export const notAppended = (why: Exclude<AppendFailure, 'moved'>): Failure => {
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
