import { gapsOf, type Stretch } from './calendar.ts'

export interface Queued {
  readonly _id: string
  readonly userId: string
  readonly name: string
  /** Milliseconds. */
  readonly length: number
}

/** Somebody who waits, and when they can be expected to have the machine. */
export interface Placed extends Stretch {
  readonly queued: Queued
}

/**
 * When those who wait for a machine can be expected to have it, one after the other, as far as is known now: after the
 * reservations that they wait for. `taken` is by start.
 */
export const placeQueued = (taken: readonly Stretch[], queued: readonly Queued[], now: number): readonly Placed[] => {
  let ahead = taken
  return queued.map((each) => {
    const gaps = gapsOf(ahead, { from: now, to: Number.POSITIVE_INFINITY }, now)
    const from = gaps.find((gap) => gap.to - gap.from >= each.length)?.from ?? now
    const placed = { from, to: from + each.length, queued: each }
    ahead = [...ahead, placed].toSorted((a, b) => a.from - b.from)
    return placed
  })
}
