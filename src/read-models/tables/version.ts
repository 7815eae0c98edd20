import type { Columns, Ended } from '../../../projections/projection.ts'

/** One state of a document: what it was from `position` on, until its next. */
export interface Version {
  /** The public position of the event that made it. */
  readonly position: number
  /** That event's revision in its stream. */
  readonly revision: number
  readonly id: string
  /** The document as JSON text: it is answered as it stands here. */
  readonly document: string
  readonly ended: Ended | null
  /** The position of its document's first version: lists are in the order of these. */
  readonly created: number
}

/** A version on its way into the file. */
export interface NewVersion extends Version {
  /** The position of the version that it takes the place of; null where it is the first. */
  readonly replaces: number | null
  /** What lists filter it by; none where its projection has no lists. */
  readonly columns: Columns
}
