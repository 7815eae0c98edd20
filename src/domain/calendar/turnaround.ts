import { QUARTER, type Window } from './window.ts'

/**
 * The time that a SUT needs between two reservations, in whole quarter-hours: a window begins no earlier than the
 * quarter-hour at or after the end of the one before it, and the turnaround later. Without one, windows may touch.
 */

/** Seconds. */
export const TURNAROUND_MAX = 86_400

/** Unix seconds: the earliest start after a window that ends at a moment. */
export const earliestAfter = (end: number, turnaround: number): number =>
  turnaround === 0 ? end : Math.ceil(end / QUARTER) * QUARTER + turnaround

/** What a window takes of a SUT: what overlaps it cannot be booked. Windows that are sorted by start stay so. */
export const withTurnaround = ({ start, end }: Window, turnaround: number): Window => ({
  start: start - turnaround,
  end: earliestAfter(end, turnaround),
})

/** Windows that reach into a span, if widened by a turnaround, all overlap this one. */
export const reachOf = ({ start, end }: Window, turnaround: number): Window =>
  turnaround === 0 ? { start, end } : { start: start - turnaround - QUARTER, end: end + turnaround }
