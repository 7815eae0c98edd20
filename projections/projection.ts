import { type EventType, factsOf, type Recorded } from '../src/domain/event.ts'
import type { ObjectKind } from '../src/domain/events/declaration.ts'

export interface Row<D extends object = object, I extends object = object> {
  /** What answers show. */
  readonly document: D
  /** What no answer shows as it is: columns of lists, and what processes need. */
  readonly internal: I
}

/**
 * A pure fold of the log into rows, one for each version of an object. Rows contain only data from events: deleted and
 * rebuilt, they are byte-identical.
 */
export interface Projection<D extends object = object, I extends object = object> {
  readonly name: Table
  /** Increment when the rows change. All of them are then rebuilt. */
  readonly version: number
  readonly key: (event: Recorded) => string | undefined
  /** Whether the event creates the object, so that no lookup is needed. */
  readonly begins: (event: Recorded) => boolean
  // A method: a list holds projections of different rows, and each is only given its own.
  evolve(row: Row<D, I> | undefined, event: Recorded): Row<D, I>
  /**
   * Whether the event is of another stream than its object's own. It makes a version of the object without being part of
   * its record.
   */
  readonly isObserved?: (event: Recorded) => boolean
  readonly observedIn?: (id: string) => string
  /** How the event ended the object, if it did. What has ended stays so. Reads by id are then refused, or lists omit it. */
  readonly ended?: (event: Recorded) => EndKind | null
}

type Objects = 'sut' | 'reservation' | 'series' | 'session' | 'sut_request' | 'user' | 'token'
export type Table = Objects | 'listen_port' | 'retry_key' | 'refusals'

export type EndKind = 'cancelled' | 'released' | 'retired' | 'revoked'

/** The key of all events that are declared to change an object of a kind, and of others that change what is internal. */
export const idOfChanged =
  (kind: ObjectKind, others: readonly EventType[] = []): Projection['key'] =>
  ({ type, data }) => {
    const { object, changesNothing = false } = factsOf(type)
    return object === kind && (!changesNothing || others.includes(type)) && '_id' in data ? data._id : undefined
  }

/** Throws for an event whose object does not exist: a bug, or a broken log. */
export const failMissing = (projection: Table, event: Recorded): never => {
  throw new Error(`${event.stream}@${event.revision}: ${event.type} came before its ${projection} was created`)
}
