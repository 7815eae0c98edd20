import { factsOf, type Recorded } from '../src/domain/event.ts'
import type { ObjectKind } from '../src/domain/events/declaration.ts'
import { epochMillisecondsOf } from '../src/domain/values/instant.ts'
import { failMissing, type Projection } from './projection.ts'

/** The idempotency record of a key: its request, and the object and revision that were the response. */
export interface RetryKey {
  /** HMAC of the request. */
  readonly request: string
  readonly _id: string
  readonly of: 'sut' | 'reservation' | 'user'
  readonly revision: number
  readonly created: boolean
}

/** Keys recorded in the same twelve hours lie together in the index. As keys are random, each would dirty a page of it. */
const PERIOD_MS = 12 * 3_600_000

/** Periods in which a key is looked for: that of now, and as many before as make up a day at least. */
const PERIODS = [0, 1, 2]

const rowId = (key: string, period: number): string => `${period}.${key.slice(0, 22)}`

/** The ids of rows in which a key may be that was recorded within a day, the newest first. @param now Unix milliseconds */
export const retryKeyIds = (key: string, now: number): readonly string[] =>
  PERIODS.map((before) => rowId(key, Math.floor(now / PERIOD_MS) - before))

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
  version: 5,
  key: (event) => {
    const { key, time } = event.metadata
    return key !== undefined && answered(event)
      ? rowId(key, Math.floor(epochMillisecondsOf(time) / PERIOD_MS))
      : undefined
  },
  begins: () => true,
  evolve: (_, event) => ({
    document: {},
    internal: {
      request: (event.metadata.key ?? '').slice(23),
      _id: '_id' in event.data ? event.data._id : failMissing('retry_key', event),
      of: answered(event) ?? 'reservation',
      revision: event.revision,
      created: factsOf(event.type).creates ?? false,
    },
  }),
}
