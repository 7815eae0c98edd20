/** What of time the timeline shows, and how wide. Pure: instants are Unix milliseconds, widths pixels. */

import { firstOfMonth, HOUR, MINUTE, midnightOf } from '../../format/format.ts'

export type Zoom = 'day' | 'week' | 'month'

export interface Span {
  readonly zoom: Zoom
  readonly from: number
  readonly to: number
}

/** Hours before now at which a day opens, and of the evening before that it has: also after midnight one sees them. */
export const HOURS_BEFORE = 2

/**
 * The day of a time, seven days from it on, or its month. A day goes on until noon of the next: nights are for long
 * runs.
 */
export const spanOf = (zoom: Zoom, time: number): Span => {
  const [day, next] = [midnightOf(time), midnightOf(time, 1)]
  if (zoom === 'day') return { zoom, from: day - HOURS_BEFORE * HOUR, to: next + 12 * HOUR }
  if (zoom === 'week') return { zoom, from: day, to: midnightOf(time, 7) }
  return { zoom, from: firstOfMonth(time), to: firstOfMonth(time, 1) }
}

/** The midnight with which what a span is called begins. */
export const dayOf = ({ zoom, from }: Span): number => (zoom === 'day' ? midnightOf(from, 1) : from)

export const spanLater = (span: Span, count: number): Span => {
  const [{ zoom }, day] = [span, dayOf(span)]
  if (zoom === 'month') return spanOf(zoom, firstOfMonth(day, count))
  return spanOf(zoom, midnightOf(day, zoom === 'day' ? count : 7 * count))
}

export const minutesOf = ({ from, to }: Span): number => (to - from) / MINUTE

/** Minutes from the left edge. They are elapsed ones: a day on which clocks change has 1,380 or 1,500. */
export const minuteAt = ({ from }: Span, time: number): number => (time - from) / MINUTE

/** The days of a span, by their midnights. */
export const daysOf = ({ from, to }: Span): readonly number[] => {
  const days: number[] = []
  for (let day = from; day < to; day = midnightOf(day, 1)) days.push(day)
  return days
}

/** Pixels of an hour. A week and a month fit into the width; a day has a width of its own. */
export const hourWidthOf = (span: Span, width: number, isPhone: boolean): number => {
  if (span.zoom === 'day') return isPhone ? 64 : 96
  const hours = span.zoom === 'week' ? 7 * 24 : 24 * daysOf(span).length
  const least = span.zoom === 'week' ? 2 : 0.75
  return Math.max(least, span.zoom === 'week' ? Math.floor(width / hours) : width / hours)
}

/** Milliseconds to which clicks, drags and steps of the keyboard are rounded. */
export const stepOf = (zoom: Zoom): number => (zoom === 'day' ? 15 * MINUTE : zoom === 'week' ? HOUR : 24 * HOUR)

/** The time at a distance from the left edge, moved back to a step. */
export const timeAt = (span: Span, hourWidth: number, x: number): number => {
  const step = span.zoom === 'month' ? HOUR : stepOf(span.zoom)
  const time = span.from + (x / hourWidth) * HOUR
  return span.from + Math.floor((time - span.from) / step) * step
}

/** The step that is nearest to a time: where an edge that is dragged comes to lie. */
export const snap = (span: Span, time: number): number => {
  const step = stepOf(span.zoom)
  return span.from + Math.round((time - span.from) / step) * step
}
