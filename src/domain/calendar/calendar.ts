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
import type { Held } from './held.ts'
import { earliestAfter, reachOf } from './turnaround.ts'
import type { Window } from './window.ts'

/** A SUT's windows, sorted by start. Windows never overlap, so their ends are sorted too. */
export type Calendar = SortedList<Held>

export const EMPTY: Calendar = []

const placeEndingAfter = (calendar: Calendar, moment: number) => seek(calendar, ({ end }) => end > moment)

/** Windows that end after a moment (Unix seconds), by start, at most `limit`. */
export const findEndingAfter = (calendar: Calendar, moment: number, limit = Number.POSITIVE_INFINITY): Held[] =>
  findOverlapping(calendar, { start: moment, end: Number.POSITIVE_INFINITY }, limit)

/** Windows that overlap the given one, by start, at most `limit`. */
export const findOverlapping = (calendar: Calendar, wanted: Window, limit: number): Held[] => {
  const overlapping: Held[] = []
  for (const held of elementsFrom(calendar, placeEndingAfter(calendar, wanted.start))) {
    if (overlapping.length === limit || held.start >= wanted.end) break
    overlapping.push(held)
  }
  return overlapping
}

/** The last window that ends at or before a moment. */
export const findLastEnded = (calendar: Calendar, moment: number): Held | undefined =>
  elementBefore(calendar, placeEndingAfter(calendar, moment))

/** The first window that starts at or after a moment. */
export const findFirstStarting = (calendar: Calendar, moment: number): Held | undefined =>
  elementAt(
    calendar,
    seek(calendar, ({ start }) => start >= moment),
  )

/** The earliest window of `length` seconds that can be booked and starts between `from` and `latest`, both included. */
export const findNextFree = (
  calendar: Calendar,
  from: number,
  length: number,
  latest: number,
  turnaround: number,
): Window | undefined => {
  let start = from
  const first = placeEndingAfter(calendar, reachOf({ start: from, end: from }, turnaround).start)
  for (const held of elementsFrom(calendar, first)) {
    if (held.start - turnaround >= start + length || start > latest) break
    start = Math.max(start, earliestAfter(held.end, turnaround))
  }
  return start <= latest ? { start, end: start + length } : undefined
}

/** Adds a window. It must not overlap an existing one. */
export const insert = (calendar: Calendar, held: Held): Calendar =>
  insertAt(calendar, placeEndingAfter(calendar, held.start), held)

/** Looks at one after the other: what begins, ends or is released is among the first. */
const locate = (calendar: Calendar, _id: string) => findPlace(calendar, (held) => held._id === _id)

export const find = (calendar: Calendar, _id: string): Held | undefined => {
  const place = locate(calendar, _id)
  return place && elementAt(calendar, place)
}

/** Removes the window with an id. */
export const remove = (calendar: Calendar, _id: string): Calendar => {
  const place = locate(calendar, _id)
  return place === undefined ? calendar : removeAt(calendar, place)
}

/** Changes the window with an id; not its start. */
export const change = (
  calendar: Calendar,
  _id: string,
  changed: Partial<Pick<Held, 'end' | 'endOffset' | 'started' | 'client' | 'kept' | 'hasHeartbeats'>>,
): Calendar => {
  const place = locate(calendar, _id)
  if (place === undefined) return calendar
  return replaceAt(calendar, place, { ...(elementAt(calendar, place) as Held), ...changed })
}

/** Drops windows that have ended at a moment, in Unix seconds. */
export const dropPast = (calendar: Calendar, moment: number): Calendar =>
  dropBefore(calendar, placeEndingAfter(calendar, moment))
