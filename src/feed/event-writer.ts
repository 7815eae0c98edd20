import { type Entry, type Filter, firstOf, isFiltering, isWanted } from './entry.ts'
import type { Format } from './frames.ts'
import type { Outlet } from './outlet.ts'
import type { Source } from './source.ts'

/** Events passed over for a reader that wants others, after which it is told how far it has come. */
const SKIPPED_MAX = 1_024
/** Characters that are written at a time, but for a single event: what a reader who stands still holds. */
const CHARACTERS_MAX = 1 << 16

export interface StreamRequest {
  /** The position behind which to begin; -1 for the beginning. */
  readonly after: number
  /** The last position that is told; it goes on live where there is none. */
  readonly end: number | undefined
  readonly filter: Filter
  readonly format: Format
}

/** What a reader has been told, and how far it has come. */
export interface EventWriter {
  readonly position: () => number
  /** Tells the first of some events. */
  readonly write: (entries: readonly Entry[]) => void
  /** Tells how far it has come, where that is further than it knows. */
  readonly writeCheckpoint: () => void
}

export interface EventWriterOptions extends StreamRequest {
  readonly source: Pick<Source, 'encode'>
}

export const makeEventWriter = (
  outlet: Outlet,
  { after, end, filter, format, source }: EventWriterOptions,
): EventWriter => {
  const isFiltered = isFiltering(filter)
  let position = after
  let known = after
  const writeCheckpoint = (): void => {
    if (position !== known) outlet.write(format.checkpoint(position))
    known = position
  }
  return {
    position: () => position,
    writeCheckpoint,
    write: (entries) => {
      const wanted = isFiltered ? entries.filter((entry) => isWanted(filter, entry)) : entries
      const first = firstOf(wanted, CHARACTERS_MAX)
      // What is behind the last of them and not wanted has been passed too.
      position = ((first.length === wanted.length ? entries : first).at(-1) as Entry).position
      known = first.at(-1)?.position ?? known
      outlet.write(isFiltered ? first.map(format.event).join('') : source.encode(format, first))
      if (end === undefined && position - known >= SKIPPED_MAX) writeCheckpoint()
    },
  }
}
