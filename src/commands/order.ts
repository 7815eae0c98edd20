import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Actor, Decider, StreamState } from '../domain/decider.ts'
import { type Event, type NewEvent, type Recorded, SCHEMA } from '../domain/event.ts'
import type { Failure } from '../domain/failure.ts'
import type { IdempotencyRecord } from '../domain/idempotency-records.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import type { IdempotencyKey } from './idempotency-key.ts'

/** A command with everything that is recorded beside what it decides. */
export interface Order<C> {
  readonly command: C
  readonly actor: Actor
  readonly requestId: string
  readonly idempotencyKey?: IdempotencyKey | undefined
  readonly reason?: string | undefined
  /** The secrets that the events name. */
  readonly secrets?: readonly SealedSecret[] | undefined
  /** Unix milliseconds to decide at instead of now: the second append of a creation has the first one's time. */
  readonly at?: number | undefined
  /** The object whose retry key does not count: its creation was given up. */
  readonly abandonedId?: string | undefined
}

/** How a command ended well: at which revision and mark, and with which state of its stream. */
export type Outcome<S> = { readonly state: S; readonly revision: number; readonly mark: number } & (
  | { readonly kind: 'recorded'; readonly events: readonly Recorded[] }
  /** Its effect held before. */
  | { readonly kind: 'already' }
  /** It was recorded under the same retry key before; `revision` is of then. */
  | { readonly kind: 'repeated'; readonly known: IdempotencyRecord }
)

export interface Runner {
  readonly run: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    order: Order<C>,
  ) => TaskEither<Failure, Outcome<S>>
  /** Keeps the states that are remembered, before the process ends. */
  readonly saveStates: () => void
  /** A stream folded to its end. Rejects with StoreUnavailable. */
  readonly stateOf: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<S>
}

/** What an order records of a decision; `now` is in Unix milliseconds. */
export const makeEvents = (
  events: readonly Event[],
  order: Order<unknown>,
  now: number,
  randomHex: RandomHex,
): readonly NewEvent[] => {
  const { actor, requestId, idempotencyKey, reason } = order
  // In the order in which they are written.
  const metadata = {
    actor: actor._id,
    ...(idempotencyKey && { key: idempotencyKey.current }),
    ...(reason !== undefined && { reason }),
    request_id: requestId,
    role: actor.role,
    schema: SCHEMA,
    time: formatMilliseconds(now),
  }
  return events.map((event) => ({ ...event, id: makeEventId(now, randomHex(10)), metadata }))
}
