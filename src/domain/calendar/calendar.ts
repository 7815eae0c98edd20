import {
  dropBefore,
  elementAt,
  elementBefore,
  elementsFrom,
  findPlace,
  insertAt,
  removeAt,
  replaceAt,
  type SortedList,
  seek,
} from '../values/sorted-list.ts'
import type { Seconds } from '../values/units.ts'
import { type Held, isOver } from './held.ts'
import { earliestAfter, floorQuarter, quarterAt, reachOf, type Window } from './window.ts'

/**
 * A SUT's reservations by start: those that are not over, and those that were as far as decisions need them. As they
 * really held the SUT they never overlap, so their ends are sorted too.
 */
export type Calendar = SortedList<Held>

export const EMPTY_CALENDAR: Calendar = []

interface Scheduled {
  readonly windows: Calendar
  readonly values: { readonly turnaround: Seconds }
}

const placeEndingAfter = (calendar: Calendar, moment: number) => seek(calendar, ({ end }) => end > moment)

/** Reservations that overlap a window, by start, at most `limit`. */
export const findOverlapping = (calendar: Calendar, { start, end }: Window, limit: number): Held[] => {
  const overlapping: Held[] = []
  for (const held of elementsFrom(calendar, placeEndingAfter(calendar, start))) {
    if (overlapping.length === limit || held.start >= end) break
    overlapping.push(held)
  }
  return overlapping
}

/** Reservations that are not over and end after a moment (Unix seconds), by start. */
export const findEndingAfter = (calendar: Calendar, moment: number, limit = Number.POSITIVE_INFINITY): Held[] =>
  elementsFrom(calendar, placeEndingAfter(calendar, moment))
    .filter((held) => !isOver(held))
    .take(limit)
    .toArray()

/** Moves the start of a window past the time that a released reservation really held, and those that followed it. */
export const skipReleased = ({ windows }: Pick<Scheduled, 'windows'>, { start, end }: Window): Window => {
  const place = placeEndingAfter(windows, start)
  if (elementAt(windows, place)?.recorded !== 'release') return { start, end }
  let free = start
  for (const held of elementsFrom(windows, place)) {
    if (held.recorded !== 'release' || held.start > free) break
    free = held.end
  }
  return { start: free, end }
}

/** A reservation that a window cannot be booked beside. */
export interface InTheWay {
  readonly held: Held
  /** Whether only the turnaround keeps the window from it. */
  readonly isTurnaround: boolean
}

const neighbour = (held: Held | undefined, isTooClose: (held: Held) => boolean): readonly InTheWay[] =>
  held !== undefined && isTooClose(held) ? [{ held, isTurnaround: true }] : []

/** What is in the way of a later end: what overlaps the added window, and what is after it within the turnaround. */
export const findInTheWayOfEnd = (
  { windows, values: { turnaround } }: Scheduled,
  added: Window,
  limit: number,
): readonly InTheWay[] => {
  const overlapping = findOverlapping(windows, added, limit).map((held): InTheWay => ({ held, isTurnaround: false }))
  if (turnaround === 0) return overlapping
  const next = elementAt(
    windows,
    seek(windows, ({ start }) => start >= added.end),
  )
  const after = neighbour(next, ({ start }) => start - turnaround < added.end)
  return [...overlapping, ...after].slice(0, limit)
}

/** What is in the way of a window, by start, at most `limit`: also what is before it within the turnaround. */
export const findInTheWay = (sut: Scheduled, window: Window, limit: number): readonly InTheWay[] => {
  const { turnaround } = sut.values
  const isEmpty = window.start >= window.end
  if (turnaround === 0 && !isEmpty) return findInTheWayOfEnd(sut, window, limit)
  const former = elementBefore(sut.windows, placeEndingAfter(sut.windows, window.start))
  // Nothing is left of a quarter-hour that was held until it ended.
  if (isEmpty) return former === undefined ? [] : [{ held: former, isTurnaround: false }]
  const before = neighbour(former, ({ end }) => earliestAfter(end, turnaround) > window.start)
  return [...before, ...findInTheWayOfEnd(sut, window, limit)].slice(0, limit)
}

/** Where what can be booked from the start of a window ends, if it is not all of it. Undefined if its start cannot be. */
export const findFreeUntil = (sut: Scheduled, window: Window): number | undefined => {
  const [first] = findInTheWay(sut, window, 1)
  if (first === undefined || first.held.start < window.start) return undefined
  const until = first.held.start - sut.values.turnaround
  return window.start < until && until < window.end ? until : undefined
}

/** The earliest free window of the same length on the grid, from the given start to `latest`. */
export const findNextAvailable = (sut: Scheduled, { start, end }: Window, latest: number): Window | undefined => {
  const { turnaround } = sut.values
  const length = end - start
  let from = start
  const { start: reach } = reachOf({ start, end: start }, turnaround)
  for (const held of elementsFrom(sut.windows, placeEndingAfter(sut.windows, reach))) {
    if (held.start - turnaround >= from + length || from > latest) break
    // Without a turnaround, what is left of the quarter-hour of a release can be booked.
    from = Math.max(from, turnaround === 0 ? floorQuarter(held.end) : earliestAfter(held.end, turnaround))
  }
  return from <= latest ? skipReleased(sut, { start: from, end: from + length }) : undefined
}

/** Adds a reservation. It must not overlap another one. */
export const insert = (calendar: Calendar, held: Held): Calendar =>
  insertAt(calendar, placeEndingAfter(calendar, held.start), held)

/** Looks at one after the other: what begins, ends or is released is among the first. */
const locate = (calendar: Calendar, _id: string) => findPlace(calendar, (held) => held._id === _id && !isOver(held))

/** The reservation with an id, unless it is over. */
export const find = (calendar: Calendar, _id: string): Held | undefined => {
  const place = locate(calendar, _id)
  return place && elementAt(calendar, place)
}

/** Removes the reservation with an id, unless it is over. */
export const remove = (calendar: Calendar, _id: string): Calendar => {
  const place = locate(calendar, _id)
  return place === undefined ? calendar : removeAt(calendar, place)
}

/** Changes the reservation with an id, unless it is over; not its start. */
export const change = (calendar: Calendar, _id: string, changed: Partial<Omit<Held, '_id' | 'start'>>): Calendar => {
  const place = locate(calendar, _id)
  if (place === undefined) return calendar
  return replaceAt(calendar, place, { ...(elementAt(calendar, place) as Held), ...changed })
}

/**
 * Seconds that a reservation is kept whose end has passed and is not recorded. It may never be: nobody records it while
 * no service runs for so long.
 */
export const UNRECORDED_MAX = 31 * 86_400

/** Forgets what no decision from a moment on depends on. Of what is over, a turnaround needs the last before it. */
export const forgetPast = (calendar: Calendar, now: number): Calendar => {
  const quarter = quarterAt(now)
  let left = dropBefore(calendar, placeEndingAfter(calendar, now / 1000 - UNRECORDED_MAX))
  for (;;) {
    const first = left[0]?.[0]
    const second = left[0]?.[1] ?? left[1]?.[0]
    if (first === undefined || second === undefined || !isOver(first) || second.end > quarter) return left
    left = removeAt(left, { chunk: 0, at: 0 })
  }
}
