import {
  alignToGrid,
  ceilToQuarter,
  floorToQuarter,
  QUARTER,
  quarterAt,
  type Window,
} from '../../../domain/calendar/window.ts'
import { addSeconds, instantAt } from '../../../domain/values/instant.ts'
import type { TimeSpan } from '../../codecs/lists.ts'
import type { SutFilters } from '../../codecs/suts.ts'

/** Seconds: the default length of the span. */
const SPAN = 7 * 86_400

/** The requested span on the grid, without quarters that are past or beyond the horizon. */
export const spanOf = ({ from, to }: TimeSpan, now: number, horizon: number): Window => {
  const start = from?.instant ?? instantAt(now)
  const end = to?.instant ?? addSeconds(start, SPAN)
  return {
    start: Math.max(floorToQuarter(start), quarterAt(now)),
    end: Math.min(ceilToQuarter(end), quarterAt(now + horizon) + QUARTER),
  }
}

/**
 * A span on the grid, without what is past, so that what was released in the current quarter-hour is free again.
 * Undefined if all of it is past.
 */
export const freeSpan = ({ from, to }: NonNullable<SutFilters['free']>, now: number): Window | undefined => {
  const { start, end } = alignToGrid(from.instant, to.instant)
  if (end * 1000 <= now) return undefined
  return { start: Math.max(start, Math.min(Math.ceil(now / 1000), end - 1)), end }
}
