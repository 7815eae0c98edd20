import type { Snapshot } from '../../domain/decider.ts'

/** A folded state that is to be written. */
export interface WaitingState {
  /** Of its last event. */
  readonly mark: number
  readonly snapshot: () => Snapshot
}

/** Bytes that writing a folded state takes. */
const sizeOf = ({ text, pages }: Snapshot): number =>
  pages.reduce((sum, { rows, id }) => sum + (id === undefined && rows ? rows.numbers.byteLength : 8), text.length)

/** Of folded states those that the rows have come to, until there are so many bytes of them. */
export const statesUpTo = (mark: number, waiting: Iterable<WaitingState>, enough: number): readonly Snapshot[] => {
  const taken: Snapshot[] = []
  let size = 0
  for (const { mark: last, snapshot } of waiting) {
    if (last > mark) continue
    const written = snapshot()
    taken.push(written)
    size += sizeOf(written)
    if (size > enough) break
  }
  return taken
}
