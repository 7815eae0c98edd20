import type { Snapshot } from '../../domain/decider.ts'
import type { StorePosition } from '../../domain/values/position.ts'

/** A snapshot that waits to be written. */
export interface WaitingState {
  /** The store position of its last event. */
  readonly storePosition: StorePosition
  readonly snapshot: () => Snapshot
}

/** Bytes needed to write a snapshot. */
const sizeOf = ({ text, pages }: Snapshot): number =>
  pages.reduce((sum, { rows, id }) => sum + (id === undefined && rows ? rows.numbers.byteLength : 8), text.length)

/** The snapshots covered by the written rows, up to about `enough` bytes. */
export const statesUpTo = (
  storePosition: StorePosition,
  waiting: Iterable<WaitingState>,
  enough: number,
): readonly Snapshot[] => {
  const taken: Snapshot[] = []
  let size = 0
  for (const { storePosition: last, snapshot } of waiting) {
    if (last > storePosition) continue
    const written = snapshot()
    taken.push(written)
    size += sizeOf(written)
    if (size > enough) break
  }
  return taken
}
