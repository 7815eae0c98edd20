/** A reservation that is being chosen. Pure: instants are Unix milliseconds. */

import { MINUTE, midnightOf, QUARTER } from '../../format/format.ts'
import { timesMeant } from '../../format/parse.ts'
import type { Booked, Stretch, Taken } from './calendar.ts'
import { ceilQuarter, conflictsOf, earliestEnd, floorQuarter, freeUntil, nextTaken, overlaps } from './calendar.ts'

export interface Asked {
  /** `now` moves with the clock. */
  readonly start: number | 'now'
  /** Milliseconds asked for. */
  readonly length: number
}

export interface Draft extends Asked {
  readonly sutId: string
}

export const LENGTHS = [30, 60, 120, 240].map((minutes) => minutes * MINUTE)
const USUAL_MS = 60 * MINUTE

export const beginOf = ({ start }: Pick<Asked, 'start'>, now: number): number => (start === 'now' ? now : start)

/** What is asked for from now to an end is up to so much less. */
const LESS_MS = 5 * MINUTE

/**
 * The length from a start to an end. From now it is less: it is sent later than it is drawn, and the service widens
 * what it gets to that end, not to the next one.
 */
export const lengthTo = (end: number, start: Asked['start'], now: number): number => {
  if (start !== 'now') return end - start
  const left = (floorQuarter(end) > now ? floorQuarter(end) : end) - now
  return Math.max(MINUTE, left - Math.min(LESS_MS, left / 2))
}

/** How long it lasts to the end that will be held, from the minute in which it starts: so one reads the two times. */
export const lastsOf = (asked: Asked, now: number): number => {
  const begin = beginOf(asked, now)
  return ceilQuarter(begin + asked.length) - Math.floor(begin / MINUTE) * MINUTE
}

/**
 * The window that will be held: the service widens what is asked for to quarters of an hour. The quarter of now may
 * have been given back in part: then it begins there.
 */
export const windowOf = (draft: Asked, now: number, taken: readonly Stretch[]): Stretch => {
  const begin = beginOf(draft, now)
  const quarter = floorQuarter(begin)
  const isNow = quarter <= now
  const previous = isNow ? taken.findLast(({ to }) => to > quarter && to <= begin) : undefined
  return { from: previous?.to ?? quarter, to: ceilQuarter(begin + draft.length) }
}

const startAt = (time: number, now: number): Asked['start'] => (time <= now ? 'now' : time)

/** The draft for a click into free time: an hour, or as much as is free. */
export const draftAt = (sutId: string, time: number, taken: readonly Stretch[], now: number): Draft => {
  const start = startAt(floorQuarter(time), now)
  const until = freeUntil(taken, beginOf({ start }, now))
  return { sutId, start, length: until === undefined ? USUAL_MS : Math.min(USUAL_MS, lengthTo(until, start, now)) }
}

/** The draft from one time to another. It begins now where that would be over. */
const spanning = (sutId: string, from: number, to: number, now: number): Draft => {
  const start = startAt(floorQuarter(from), now)
  return { sutId, start, length: Math.max(start === 'now' ? MINUTE : QUARTER, lengthTo(to, start, now)) }
}

const freeAround = (taken: readonly Stretch[], time: number): Stretch => ({
  from: taken.findLast(({ from }) => from < time)?.to ?? Number.NEGATIVE_INFINITY,
  to: taken.find(({ from }) => from >= time)?.from ?? Number.POSITIVE_INFINITY,
})

/** The draft for a drag from one time to another, in either direction, up to the neighbours. */
export const draftBetween = (
  sutId: string,
  from: number,
  to: number,
  taken: readonly Stretch[],
  now: number,
): Draft => {
  const [first, last] = from <= to ? [from, to] : [to, from]
  const free = freeAround(taken, from)
  return spanning(sutId, Math.max(first, free.from), Math.min(ceilQuarter(last), free.to), now)
}

/** The draft with one of its edges at another time, up to the neighbours. */
export const dragEdge = (
  draft: Draft,
  edge: 'start' | 'end',
  time: number,
  taken: readonly Stretch[],
  now: number,
): Draft => {
  const [begin, end] = [beginOf(draft, now), ceilQuarter(beginOf(draft, now) + draft.length)]
  if (edge === 'end') {
    const { to } = freeAround(taken, begin + 1)
    return spanning(draft.sutId, begin, Math.min(Math.max(time, ceilQuarter(begin + 1)), to), now)
  }
  const { from } = freeAround(taken, end)
  return spanning(draft.sutId, Math.min(Math.max(time, from), end - QUARTER), end, now)
}

/** The end of a reservation that is dragged: after now, and up to what follows. */
export const dragEnd = (own: Booked, time: number, taken: readonly Taken[], now: number): number => {
  const [least, most] = [earliestEnd(own, now), Math.max(own.to, nextTaken(taken, own))]
  return Math.max(Math.min(least, own.to), Math.min(time, most))
}

/** A start moved by quarters. Before the next quarter it is now. */
export const startMoved = (start: Asked['start'], quarters: number, now: number): Asked['start'] =>
  startAt((start === 'now' ? floorQuarter(now) : start) + quarters * QUARTER, now)

export const moveStart = (draft: Draft, quarters: number, now: number): Draft => ({
  ...draft,
  start: startMoved(draft.start, quarters, now),
})

export const moveLength = (draft: Draft, quarters: number, now: number): Draft => {
  const begin = beginOf(draft, now)
  const end = Math.max(ceilQuarter(begin + 1), ceilQuarter(begin + draft.length) + quarters * QUARTER)
  return { ...draft, length: lengthTo(end, draft.start, now) }
}

export interface Clash {
  readonly with: Booked
  readonly taken: Stretch
  /** Whether only the turnaround between the two is in the way. */
  readonly isTurnaround: boolean
  /** The draft with an earlier end, if its start is free. */
  readonly shorter: Draft | undefined
  /** The draft of the same length that ends where the other begins, if that is free. */
  readonly earlier: Draft | undefined
}

export const clashOfDraft = (draft: Draft, taken: readonly Taken[], now: number): Clash | undefined => {
  const window = windowOf(draft, now, taken)
  const [first] = conflictsOf(taken, window)
  if (first === undefined) return undefined
  const begin = beginOf(draft, now)
  const shorter = first.from > begin ? { ...draft, length: lengthTo(first.from, draft.start, now) } : undefined
  const start = floorQuarter(first.from - draft.length)
  const earlier: Draft = { ...draft, start }
  const isEarlierFree = start > now && conflictsOf(taken, windowOf(earlier, now, taken)).length === 0
  return {
    ...{ with: first.held, taken: first, isTurnaround: !overlaps(first.held, window) },
    ...{ shorter, earlier: isEarlierFree ? earlier : undefined },
  }
}

/**
 * A time that somebody has typed: `now`, a time of day such as `9`, `930`, `9:30` or `9.30`, also after a weekday, a date
 * or both; undefined if it is none. Where its quarter is over at `after`, it is the next such time.
 */
export const parseStart = (text: string, day: number, after: number): number | 'now' | undefined =>
  ['now', ''].includes(text.trim().toLowerCase())
    ? 'now'
    : timesMeant(text, day, 1)
        .map(floorQuarter)
        .find((time) => time + QUARTER > after)

interface LengthChoice {
  readonly length: number
  /** The end, where it is that of a day. */
  readonly end?: number
}

/** The hours at which a working day ends and begins. */
const [EVENING, MORNING] = [18, 9]

/** Lengths that a form offers: usual ones, then up to the evening, the next morning, and that of Monday. */
export const lengthsFrom = ({ start }: Pick<Asked, 'start'>, now: number): readonly LengthChoice[] => {
  const begin = beginOf({ start }, now)
  const at = (days: number, hours: number): number => new Date(midnightOf(begin, days)).setHours(hours)
  const toMonday = (8 - new Date(begin).getDay()) % 7 || 7
  const ends = new Set([at(0, EVENING), at(1, MORNING), at(toMonday, MORNING)].filter((end) => end > begin + USUAL_MS))
  return [
    ...LENGTHS.map((length) => ({ length })),
    ...[...ends].map((end) => ({ end, length: lengthTo(end, start, now) })),
  ]
}
