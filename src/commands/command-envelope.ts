import type { Either } from 'fp-ts/lib/Either.js'
import type { Actor, Decider, StreamState } from '../domain/decider.ts'
import { type Event, type NewEvent, type Recorded, schemaVersion } from '../domain/event.ts'
import type { Failure } from '../domain/failure.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { inCanonicalOrder } from '../domain/values/canonical-json.ts'
import { makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { formatMilliseconds } from '../domain/values/instant.ts'
import type { StorePosition } from '../domain/values/position.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { IdempotencyKey } from './idempotency-key.ts'

/** A command and everything recorded with its events. */
export interface CommandEnvelope<C> {
  readonly command: C
  readonly actor: Actor
  readonly requestId: string
  readonly idempotencyKey?: IdempotencyKey | undefined
  readonly reason?: string | undefined
  /** The client's address as a keyed hash. */
  readonly client?: string | undefined
  /** Secrets named by the events. */
  readonly secrets?: readonly SealedSecret[] | undefined
  /** Unix milliseconds to decide at instead of now. The second append of a creation uses the time of the first. */
  readonly at?: number | undefined
}

/** Who sends a request, and what is recorded of it. */
export type Sender = Omit<CommandEnvelope<unknown>, 'command' | 'at' | 'secrets'>

/**
 * The outcome of a successful command, with the resulting state of its stream. `id` is that of the object that the last
 * event is about.
 */
export type Outcome<S> = { readonly state: S; readonly revision: number; readonly storePosition: StorePosition } & (
  | { readonly kind: 'recorded'; readonly id: string; readonly events: readonly Recorded[] }
  /** The effect already held; nothing was recorded. */
  | { readonly kind: 'already' }
  /** Recorded earlier under the same idempotency key, at `revision`. */
  | { readonly kind: 'repeated'; readonly id: string }
)

export interface Runner {
  readonly run: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    envelope: CommandEnvelope<C>,
  ) => Promise<Either<Failure, Outcome<S>>>
  /** Saves cached states as snapshots, before the process exits. */
  readonly saveStates: () => void
  /** What a pure function finds in the current state of a stream. Rejects with StoreUnavailable. */
  readonly inspect: <S extends StreamState, C, A>(
    decider: Decider<S, C>,
    stream: string,
    find: (state: S) => A,
  ) => Promise<A>
}

/** The events of an append, the last of which is at a revision. */
export const readAppended = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  last: number,
  count: number,
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  for await (const page of store.readStream(stream, last - count)) {
    events.push(...page.slice(0, count - events.length))
    if (events.length === count) break
  }
  return events
}

/** The events an order records for a decision. The last has its idempotency key. `now` is in Unix milliseconds. */
export const makeNewEvents = (
  events: readonly Event[],
  { actor, requestId, idempotencyKey, reason, client }: Sender,
  now: number,
  randomHex: RandomHex,
): readonly NewEvent[] => {
  const time = formatMilliseconds(now)
  const last = events.length - 1
  return events.map((event, n) => ({
    type: event.type,
    data: inCanonicalOrder(event.data),
    id: makeEventId(now, randomHex(10)),
    // In canonical order, so that encoding need not sort.
    metadata: {
      actor: actor._id,
      ...(client !== undefined && { client }),
      ...(n === last && idempotencyKey && { key: idempotencyKey.current }),
      ...(reason !== undefined && { reason }),
      request_id: requestId,
      role: actor.role,
      schema: schemaVersion(event.type),
      time,
    },
  })) as readonly NewEvent[]
}

/**
 * Appends events that no command decides, at a revision of their stream. They are the service's own.
 *
 * @param now Unix milliseconds
 */
export const appendOwn = (
  { store, randomHex }: { readonly store: Pick<EventStore, 'append'>; readonly randomHex: RandomHex },
  actor: Actor,
  { stream, revision, now }: { readonly stream: string; readonly revision: number; readonly now: number },
  events: readonly Event[],
): ReturnType<EventStore['append']> => {
  const sender = { actor, requestId: makeEventId(now, randomHex(10)) }
  return store.append(stream, revision, makeNewEvents(events, sender, now, randomHex))
}
