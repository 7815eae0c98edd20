import type { Columns, EndKind, Projection } from '../../../projections/projection.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { LogRow } from './log-index.ts'

/** A version of a document, current from `position` until the next version. */
export interface Version {
  /** The public position of the event that made it. */
  readonly position: PublicPosition
  /** That event's revision in its stream. */
  readonly revision: number
  readonly id: string
  /** The document as JSON text, sent to clients unchanged. */
  readonly document: string
  readonly ended: EndKind | null
  /** The position of the document's first version; lists are in this order. */
  readonly created: PublicPosition
  /**
   * How many events of another stream the document shows, where a projection has such. Then `revision` is that of the
   * last event of the object's own stream.
   */
  readonly observed?: number
  /** Whether the version's own event is one of those. */
  readonly isObserved?: boolean
}

/** A version that is not in the file yet. */
export interface NewVersion extends Version {
  /** The position of the version it replaces; null for the first. */
  readonly replaces: PublicPosition | null
  /** Values that lists filter by; empty for a projection without lists. */
  readonly columns: Columns
}

/** A document that an event changed. */
export interface RowChange {
  readonly projection: Projection['name']
  /** Undefined if the event created it. */
  readonly before: Version | undefined
  readonly after: NewVersion
}

/**
 * What an event adds to the file: its row in the log index, and a version of a document for each projection it
 * concerns.
 */
export type Row =
  | { readonly logRow: LogRow; readonly projection?: never; readonly version?: never }
  | { readonly logRow?: never; readonly projection: string; readonly version: NewVersion }
