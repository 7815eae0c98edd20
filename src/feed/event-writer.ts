import type { PublicPosition } from '../domain/values/position.ts'
import { type FeedEntry, type Filter, firstOf, isFiltering, isWanted } from './events/entry.ts'
import type { Format } from './events/frames.ts'
import type { ResponseSink } from './response-sink.ts'
import type { StreamWriter } from './stream.ts'

/** Skipped events after which a filtered reader gets a checkpoint event. */
const SKIPPED_MAX = 1_024
/** Characters per write, except for a single larger event. This is also what a stalled reader holds in memory. */
const CHARACTERS_MAX = 1 << 16

export interface StreamRequest {
  /** The position after which to begin; -1 for the beginning. */
  readonly after: PublicPosition
  /** The last position to send; undefined to continue live. */
  readonly end: PublicPosition | undefined
  readonly filter: Filter
  readonly format: Format
}

export const makeEventWriter = (
  sink: ResponseSink,
  { after, end, filter, format }: StreamRequest,
): StreamWriter<FeedEntry> => {
  const isFiltered = isFiltering(filter)
  let position = after
  let known = after
  const writeCheckpoint = (): void => {
    if (position !== known) sink.write(format.checkpoint(position))
    known = position
  }
  return {
    position: () => position,
    writeCheckpoint,
    write: (entries) => {
      const wanted = isFiltered ? entries.filter((entry) => isWanted(filter, entry)) : entries
      const first = firstOf(wanted, CHARACTERS_MAX)
      // Unwanted entries after the last one written count as passed.
      position = ((first.length === wanted.length ? entries : first).at(-1) as FeedEntry).position
      known = first.at(-1)?.position ?? known
      sink.write(first.map(format.event).join(''))
      if (end === undefined && position - known >= SKIPPED_MAX) writeCheckpoint()
    },
  }
}
