import { factsOf, type Recorded } from '../src/domain/event.ts'
import type { ObjectKind } from '../src/domain/events/declaration.ts'

/**
 * A pure fold of the log into documents, which the service returns. Documents contain only data from events: deleted
 * and rebuilt, they are byte-identical.
 */
export interface Projection<D extends object = object, C extends Columns = Columns> {
  readonly name:
    | 'sut'
    | 'reservation'
    | 'reservation_run'
    | 'reservation_keepalive'
    | 'retry_key'
    | 'listen_port'
    | 'sut_display'
    | 'sut_status'
    | 'session'
    | 'series'
    | 'series_member'
    | 'user'
    | 'token'
    | 'ended_login'
    | 'quota_exemption'
    | 'sut_request'
  /** Increment when the documents change. All documents are then rebuilt. */
  readonly version: number
  /** Id of the document an event belongs to, if any. */
  readonly key: (event: Recorded) => string | undefined
  /** Whether the event creates the document, so that no lookup is needed. */
  readonly begins: (event: Recorded) => boolean
  // Methods: a list holds projections of different documents, and each is only given its own.
  evolve(document: D | undefined, event: Recorded): D
  /**
   * Whether the event is of another stream than its object's own. It makes a version of the document without being part
   * of the object's record.
   */
  readonly isObserved?: (event: Recorded) => boolean
  /** The stream of those events. */
  readonly observedIn?: (id: string) => string
  /** How the event ended the object, if it did. What has ended stays so. Reads by id are then refused, or lists omit it. */
  readonly ended?: (event: Recorded) => EndKind | null
  /** Filter columns for lists, if there are lists. */
  columns?(document: D, event: Recorded): C
}

/** Values in column order. An array, because an object takes twice as long to send to another thread. */
export type Columns = readonly (string | number | boolean)[]

export type EndKind = 'cancelled' | 'released' | 'retired'

/** Makes the key of a projection of all events that change an object of a kind, as they are declared. */
export const idOfChanged =
  (kind: ObjectKind): Projection['key'] =>
  ({ type, data }) => {
    const { object, changesNothing = false } = factsOf(type)
    return object === kind && !changesNothing && '_id' in data ? data._id : undefined
  }

/** Throws for an event whose document does not exist: a bug, or a broken log. */
export const failMissing = (projection: string, event: Recorded): never => {
  throw new Error(`${event.stream}@${event.revision}: ${event.type} came before its ${projection} was created`)
}
