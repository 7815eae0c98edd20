import { factsOf, type Recorded } from '../src/domain/event.ts'
import type { ObjectKind } from '../src/domain/events/declaration.ts'
import { epochMillisecondsOf } from '../src/domain/values/instant.ts'
import type { Projection } from './projection.ts'

/** The idempotency record of a key: its request, and the object and revision that were the response. */
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
 * The kinds of objects that are answered. The first append of a creation is about none: the SUT's own event is the
 * answer, or the reservation's.
 */
const ANSWERED: Readonly<Partial<Record<ObjectKind, RetryKey['of']>>> = {
  sut: 'sut',
  sut_reservation: 'reservation',
  series: 'reservation',
  user: 'user',
}

/** What an event is an answer about, if it is one. */
const answered = ({ type }: Recorded): RetryKey['of'] | undefined => {
  const { object, answersNothing = false } = factsOf(type)
  return object === undefined || answersNothing ? undefined : ANSWERED[object]
}

export const retryKeyProjection: Projection<object, RetryKey> = {
  name: 'retry_key',
  version: 4,
  key: (event) => (event.metadata.key !== undefined && answered(event) ? event.metadata.key.slice(0, 22) : undefined),
  begins: () => true,
  evolve: (_, event) => ({
    document: {},
    internal: {
      request: (event.metadata.key ?? '').slice(23),
      _id: '_id' in event.data ? event.data._id : missingId(event),
      of: answered(event) ?? 'reservation',
      revision: event.revision,
      created: factsOf(event.type).creates ?? false,
      time: epochMillisecondsOf(event.metadata.time),
    },
  }),
}

const missingId = (event: Recorded): never => {
  throw new Error(`${event.stream}@${event.revision}: ${event.type} has no _id`)
}
