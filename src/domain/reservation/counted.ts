import { QUARTER, type RequestedWindow, type Window } from '../calendar/window.ts'
import type { DataOf } from '../event.ts'
import { epochSecondsOf } from '../values/instant.ts'

/** What a reservation counts for the quota of its holder, in whole quarter-hours. */

/** Quarters that contain so many seconds, at least one. */
export const quartersOf = (seconds: number): number => Math.max(Math.ceil(seconds / QUARTER), 1)

/** Quarters of a window. One that begins when another was released has a part of its first quarter. */
export const quartersIn = ({ start, end }: Window): number => quartersOf(end - start)

/** Of a window asked for by its length, that length counts: its ends may lie in two more quarters than asked for. */
export const countNew = (asked: RequestedWindow, window: Window): number =>
  asked.form === 'relative' ? quartersOf(asked.duration) : quartersIn(window)

/** Unless it says otherwise, a reservation counts its window. */
export const countCreated = ({ counted, start_time, end_time }: DataOf<'ReservationCreated'>): number =>
  counted ?? quartersIn({ start: epochSecondsOf(start_time), end: epochSecondsOf(end_time) })

/** Ends are on the grid until a release. */
export const countExtended = (counted: number, former: number, end: number): number =>
  counted + (end - former) / QUARTER

/** A window that ends earlier counts what is left of it, unless that is more than it was asked for. */
export const countShortened = (counted: number, window: Window): number => Math.min(counted, quartersIn(window))

/** @param heldFrom Unix milliseconds from which the SUT was held; `end` is in Unix seconds */
export const countReleased = (counted: number, heldFrom: number, end: number): number =>
  Math.min(counted, quartersOf(end - heldFrom / 1000))
