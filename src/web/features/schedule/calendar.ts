/** What a machine's time is taken by. Pure: instants are Unix milliseconds, spans half-open. */

import { QUARTER } from '../../format/format.ts'

export interface Stretch {
  readonly from: number
  readonly to: number
}

export interface Booked extends Stretch {
  readonly _id: string
  readonly userId: string
  /** Its end to the millisecond. */
  readonly ends: number
}

/** What a reservation takes of its machine: its own time, and the turnaround on either side. */
export interface Taken extends Stretch {
  readonly held: Booked
}

export const floorQuarter = (time: number): number => Math.floor(time / QUARTER) * QUARTER
export const ceilQuarter = (time: number): number => Math.ceil(time / QUARTER) * QUARTER

export const overlaps = (a: Stretch, b: Stretch): boolean => a.from < b.to && b.from < a.to

/** When the turnaround after a reservation is over: it is counted in whole quarters. Without one, windows may touch. */
export const turnedAt = ({ to, ends }: Booked, turnaround: number): number =>
  turnaround === 0 ? to : ceilQuarter(ends) + turnaround

/** The turnaround after each of some reservations that are sorted by start, up to the next. */
export const turnsOf = (booked: readonly Booked[], turnaround: number): readonly Stretch[] =>
  booked
    .map((each, n) => {
      const next = booked[n + 1]?.from ?? Number.POSITIVE_INFINITY
      return { from: each.to, to: Math.min(turnedAt(each, turnaround), next) }
    })
    .filter(({ from, to }) => from < to)

/** What is taken by reservations that are sorted by start; so is the result. `turnaround` is in milliseconds. */
export const takenBy = (booked: readonly Booked[], turnaround: number): readonly Taken[] =>
  booked.map((held) => ({ held, from: held.from - turnaround, to: turnedAt(held, turnaround) }))

export const conflictsOf = <A extends Stretch>(taken: readonly A[], asked: Stretch): readonly A[] =>
  taken.filter((each) => overlaps(each, asked))

/** The part of a stretch that is taken first; undefined if none is. */
export const clashOf = (taken: readonly Stretch[], asked: Stretch): Stretch | undefined => {
  const [first] = conflictsOf(taken, asked)
  return first && { from: Math.max(first.from, asked.from), to: Math.min(first.to, asked.to) }
}

/** The stretches of a span that are not taken, from a time on. `taken` is sorted by start, and so are its ends. */
export const gapsOf = (taken: readonly Stretch[], span: Stretch, since: number): readonly Stretch[] => {
  const gaps: Stretch[] = []
  let from = Math.max(span.from, since)
  for (const { from: start, to: end } of taken) {
    if (end <= from) continue
    if (start >= span.to) break
    if (start > from) gaps.push({ from, to: start })
    from = end
  }
  if (from < span.to) gaps.push({ from, to: span.to })
  return gaps
}

/** Until when a machine is free from a time on: infinity if nothing takes it, undefined if something does then. */
export const freeUntil = (taken: readonly Stretch[], time: number): number | undefined => {
  const next = taken.find(({ to }) => to > time)
  if (next === undefined) return Number.POSITIVE_INFINITY
  return next.from <= time ? undefined : next.from
}

/** Where what follows a reservation begins to take the machine: infinity if nothing does. */
export const nextTaken = (taken: readonly Taken[], { _id, to }: Booked): number =>
  taken.find(({ held }) => held.from >= to && held._id !== _id)?.from ?? Number.POSITIVE_INFINITY

/** Quarters by which an end is offered to move. */
const STEPS = [1, 2, 4, 8, 16, 32]

/** The earliest end that a reservation may have: the next quarter of those that lie ahead and in it. */
export const earliestEnd = ({ from }: Stretch, now: number): number => ceilQuarter(Math.max(from, now) + 1)

/** Ends to which a reservation may be shortened, in useful steps and the earliest one, by time. */
export const earlierEnds = (own: Stretch, now: number, most = 4): readonly number[] => {
  const least = earliestEnd(own, now)
  const ends = STEPS.map((quarters) => own.to - quarters * QUARTER).filter((end) => end > least)
  return [...ends.slice(0, most - 1), ...(least < own.to ? [least] : [])].toReversed()
}

/** Ends to which a reservation may be extended, in useful steps, up to what follows. */
export const extensionsOf = (taken: readonly Taken[], own: Booked, most = 4): readonly number[] => {
  const next = nextTaken(taken, own)
  const steps = STEPS.map((quarters) => own.to + quarters * QUARTER)
  const ends = steps.filter((end) => end <= next).slice(0, most)
  const last = ends.at(-1)
  return next !== Number.POSITIVE_INFINITY && last !== next && ends.length < most && next > own.to
    ? [...ends, next]
    : ends
}

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
