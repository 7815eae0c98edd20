import { QUARTER } from './times.ts'

/** What a machine's time is taken by. Pure: instants are Unix milliseconds, spans half-open. */

export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A reservation on the timeline. */
export interface Booked extends Stretch {
  readonly _id: string
  readonly userId: string
}

export const floorQuarter = (time: number): number => Math.floor(time / QUARTER) * QUARTER
export const ceilQuarter = (time: number): number => Math.ceil(time / QUARTER) * QUARTER

export const overlaps = (a: Stretch, b: Stretch): boolean => a.from < b.to && b.from < a.to

/** The reservations that overlap a stretch, by start. */
export const conflictsOf = (booked: readonly Booked[], asked: Stretch): readonly Booked[] =>
  booked.filter((each) => overlaps(each, asked))

/** The part of a stretch that is taken first; undefined if none is. */
export const clashOf = (booked: readonly Booked[], asked: Stretch): Stretch | undefined => {
  const [first] = conflictsOf(booked, asked)
  return first && { from: Math.max(first.from, asked.from), to: Math.min(first.to, asked.to) }
}

/** The stretches of a span that nobody has, from a time on. `booked` is sorted by start and does not overlap. */
export const gapsOf = (booked: readonly Stretch[], span: Stretch, since: number): readonly Stretch[] => {
  const gaps: Stretch[] = []
  let from = Math.max(span.from, since)
  for (const { from: start, to: end } of booked) {
    if (end <= from) continue
    if (start >= span.to) break
    if (start > from) gaps.push({ from, to: start })
    from = end
  }
  if (from < span.to) gaps.push({ from, to: span.to })
  return gaps
}

/** Until when a machine is free from a time on: infinity if nothing is booked, undefined if it is taken. */
export const freeUntil = (booked: readonly Stretch[], time: number): number | undefined => {
  const next = booked.find(({ to }) => to > time)
  if (next === undefined) return Number.POSITIVE_INFINITY
  return next.from <= time ? undefined : next.from
}

/** The first free stretch of a length at or after a time. */
export const nextFree = (booked: readonly Stretch[], time: number, length: number): Stretch => {
  let from = time
  for (const { from: start, to: end } of booked) {
    if (end <= from) continue
    if (start >= from + length) break
    from = end
  }
  return { from, to: from + length }
}

/** Ends to which a reservation may be extended, in useful steps, up to the next start. */
export const extensionsOf = (booked: readonly Booked[], own: Booked, most = 4): readonly number[] => {
  const next = booked.find(({ from, _id }) => from >= own.to && _id !== own._id)?.from ?? Number.POSITIVE_INFINITY
  const steps = [1, 2, 4, 6, 8, 12, 16].map((quarters) => own.to + quarters * QUARTER)
  const ends = steps.filter((end) => end <= next).slice(0, most)
  const last = ends.at(-1)
  return next !== Number.POSITIVE_INFINITY && last !== next && ends.length < most && next > own.to
    ? [...ends, next]
    : ends
}
