import { findFirstStarting, findLastEnded, findNextFree, findOverlapping } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { heldTimeAt } from '../calendar/held-time.ts'
import { earliestAfter } from '../calendar/turnaround.ts'
import { overlaps, QUARTER, type Window } from '../calendar/window.ts'
import type { ExistingSut } from './state.ts'

/** Moves the start of a window past the time a released reservation actually held the SUT. */
export const skipHeldTime = ({ released }: ExistingSut, { start, end }: Window): Window => ({
  start: heldTimeAt(released, start)?.end ?? start,
  end,
})

/** A reservation that a window cannot be booked beside. */
export interface InTheWay {
  readonly held: Held
  /** Whether only the turnaround keeps the window from it. */
  readonly isTurnaround: boolean
}

const byStart = (a: Held, b: Held): number => a.start - b.start

/**
 * Reservations that overlap the window, by start, at most `limit`. If the window is empty, the released reservation
 * that held it.
 */
const findHeld = ({ windows, released }: ExistingSut, window: Window, limit: number): readonly Held[] => {
  const isEmpty = window.start >= window.end
  const ended = released.filter((time) => (isEmpty ? time.end === window.start : overlaps(time, window)))
  const current = isEmpty ? [] : findOverlapping(windows, window, limit)
  if (ended.length === 0) return current
  return [...ended.map(({ last }) => last), ...current].sort(byStart).slice(0, limit)
}

const atMostOne = (held: Held | undefined): readonly Held[] => (held === undefined ? [] : [held])

/** The reservations of the past that are not in the calendar. */
const past = ({ ended, released }: ExistingSut): readonly Held[] => [...ended, ...released.map(({ last }) => last)]

/** The reservation before a moment, if its turnaround is not over by then. */
const findBefore = (sut: ExistingSut, moment: number): readonly Held[] => {
  const former = past(sut).filter(({ end }) => end <= moment)
  const last = [...former, ...atMostOne(findLastEnded(sut.windows, moment))].sort((a, b) => a.end - b.end).at(-1)
  return atMostOne(last).filter(({ end }) => earliestAfter(end, sut.values.turnaround) > moment)
}

/** The reservation after a moment, if a turnaround does not fit between. */
const findAfter = (sut: ExistingSut, moment: number): readonly Held[] => {
  const later = past(sut).filter(({ start }) => start >= moment)
  const [first] = [...later, ...atMostOne(findFirstStarting(sut.windows, moment))].sort(byStart)
  return atMostOne(first).filter(({ start }) => start - sut.values.turnaround < moment)
}

const toInTheWay =
  (isTurnaround: boolean) =>
  (held: Held): InTheWay => ({ held, isTurnaround })

/**
 * What is in the way of reservations that begin and end in a window, by start, at most `limit`: those that overlap it,
 * and the ones before and after it if the turnaround does not fit between.
 */
export const findInTheWay = (sut: ExistingSut, window: Window, limit: number): readonly InTheWay[] => {
  const overlapping = findHeld(sut, window, limit).map(toInTheWay(false))
  if (sut.values.turnaround === 0 || window.start >= window.end) return overlapping
  const before = findBefore(sut, window.start).map(toInTheWay(true))
  const after = findAfter(sut, window.end).map(toInTheWay(true))
  return [...before, ...overlapping, ...after].slice(0, limit)
}

/** What is in the way of a later end. The start stays, so what is before it is not. */
export const findInTheWayOfEnd = (sut: ExistingSut, added: Window, limit: number): readonly InTheWay[] => {
  const overlapping = findHeld(sut, added, limit).map(toInTheWay(false))
  if (sut.values.turnaround === 0) return overlapping
  return [...overlapping, ...findAfter(sut, added.end).map(toInTheWay(true))].slice(0, limit)
}

/** Where what can be booked from the start of a window ends, if it is not all of it. Undefined if its start cannot be. */
export const findFreeUntil = (sut: ExistingSut, window: Window): number | undefined => {
  const [first] = findInTheWay(sut, window, 1)
  if (first === undefined || first.held.start < window.start) return undefined
  const until = first.held.start - sut.values.turnaround
  return window.start < until && until < window.end ? until : undefined
}

/** The earliest free window of the same length on the grid, from the given start to `latest`. */
export const findNextAvailable = (sut: ExistingSut, { start, end }: Window, latest: number): Window | undefined => {
  const { turnaround } = sut.values
  let from = start
  for (;;) {
    const free = findNextFree(sut.windows, from, end - start, latest, turnaround)
    if (free === undefined) return undefined
    const window = skipHeldTime(sut, free)
    const [inTheWay] = findInTheWay(sut, window, 1)
    if (inTheWay === undefined) return window
    // Either a quarter-hour was held to its end, or a clock that was ahead recorded held time, or a turnaround lasts.
    from = Math.max(free.start + QUARTER, Math.ceil(inTheWay.held.end / QUARTER) * QUARTER + turnaround)
  }
}
