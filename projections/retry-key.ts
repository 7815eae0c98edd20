import type { Recorded } from '../src/domain/event.ts'
import { isCreation } from '../src/domain/idempotency-records.ts'
import { epochMillisecondsOf } from '../src/domain/values/instant.ts'
import type { Projection } from './projection.ts'

/**
 * The idempotency record of a key: its request, and the object and revision that were the response. Stored as
 * `retry_key`.
 */
export interface RetryKey {
  /** HMAC of the request. */
  readonly request: string
  readonly _id: string
  readonly of: 'sut' | 'reservation' | 'user'
  readonly revision: number
  readonly created: boolean
  /** Unix milliseconds. */
  readonly time: number
}

/**
 * The first append of a creation is not the response; the SUT's own event is, or the reservation's. The responses to a
 * removal and about a token are no documents, and the response to a request that waits depends on what follows.
 */
const isAnswer = ({ type }: Recorded): boolean =>
  !/^(?:ListenPort|Token|Request)/.test(type) && !NO_ANSWERS.includes(type)

const NO_ANSWERS: readonly string[] = ['MatchOffered', 'UserRemoved', 'ReservationRequested']

export const retryKeyProjection: Projection<RetryKey> = {
  name: 'retry_key',
  version: 3,
  key: (event) => (event.metadata.key !== undefined && isAnswer(event) ? event.metadata.key.slice(0, 22) : undefined),
  begins: () => true,
  evolve: (_, event) => ({
    request: (event.metadata.key ?? '').slice(23),
    _id: '_id' in event.data ? event.data._id : missingId(event),
    of: event.type.startsWith('Sut') ? 'sut' : event.type.startsWith('User') ? 'user' : 'reservation',
    revision: event.revision,
    created: isCreation(event),
    time: epochMillisecondsOf(event.metadata.time),
  }),
  columns: ({ time }) => [time],
}

const missingId = (event: Recorded): never => {
  throw new Error(`${event.stream}@${event.revision}: ${event.type} has no _id`)
}
