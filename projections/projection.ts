import type { Recorded } from '../src/domain/event.ts'

/**
 * A pure fold of the log into documents, which are what the service answers. Documents never contain anything but what
 * the events say: dropped and folded again, they come out byte for byte the same.
 */
export interface Projection<D extends object = object, C extends Columns = Columns> {
  readonly name: 'sut' | 'reservation' | 'retry_key' | 'listen_port' | 'sut_display' | 'clock_correction'
  /** Raised with every change of what it folds to; the host then rebuilds all documents. */
  readonly version: number
  /** The id of the document an event belongs to, if it belongs to one of this projection. */
  readonly key: (event: Recorded) => string | undefined
  /** Whether the event makes the document, so that there is no earlier one to look up. */
  readonly begins: (event: Recorded) => boolean
  readonly evolve: (document: D | undefined, event: Recorded) => D
  /** What ended the object with this event, if it did: reads by id then refuse, or lists leave it out. */
  readonly ended: (event: Recorded) => Ended | null
  /** What lists filter a document by, where there are lists of them. */
  readonly columns?: (document: D) => C
}

/** Values in the order that their table knows. An array: an object would take twice as long to another thread. */
export type Columns = readonly (string | number | boolean)[]

export type Ended = 'cancelled' | 'released' | 'retired'

/** What a projection does when it is given an event whose document it never began: the log or the host is broken. */
export const failMissing = (projection: string, event: Recorded): never => {
  throw new Error(`${event.stream}@${event.revision}: ${event.type} came before its ${projection} was created`)
}
