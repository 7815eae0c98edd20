import { firstOfMonth, HOUR, MINUTE, midnightOf, mondayOf } from '../../format/times.ts'

/** What of time the timeline shows, and how wide. Pure: instants are Unix milliseconds, widths pixels. */

export type Zoom = 'day' | 'week' | 'month'

export interface Span {
  readonly zoom: Zoom
  readonly from: number
  readonly to: number
}

/** The day, week or month that contains a time. A day goes on until noon of the next: nights are for long runs. */
export const spanOf = (zoom: Zoom, time: number): Span => {
  if (zoom === 'day') return { zoom, from: midnightOf(time), to: midnightOf(time, 1) + 12 * HOUR }
  if (zoom === 'week') return { zoom, from: mondayOf(time), to: midnightOf(mondayOf(time), 7) }
  return { zoom, from: firstOfMonth(time), to: firstOfMonth(time, 1) }
}

/** The span that lies a number of spans later. */
export const spanLater = ({ zoom, from }: Span, count: number): Span => {
  if (zoom === 'month') return spanOf(zoom, firstOfMonth(from, count))
  return spanOf(zoom, midnightOf(from, zoom === 'day' ? count : 7 * count))
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
