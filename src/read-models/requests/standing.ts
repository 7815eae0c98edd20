import { QUARTER, quarterAt } from '../../domain/calendar/window.ts'
import { findNextWindow, type KnownWindows, NEVER, openingAt } from '../../domain/matching/openings.ts'
import type { KnownSut } from '../matching/suts.ts'

/** A window that is looked for in a calendar: as if it were asked for anew until there is room. */
export interface Asked {
  /** Unix milliseconds. */
  readonly now: number
  /** Seconds. */
  readonly duration: number
  /** Unix seconds: it must begin before. */
  readonly before: number
}

export interface FoundWindow {
  /** Unix seconds. */
  readonly start: number
  readonly end: number
  readonly isNow: boolean
}

/**
 * The earliest window that a SUT has free. One that begins now has the rest of its quarter too; later ones are at the
 * grid, since that is where reservations end.
 */
export const earliestWindow = (
  windows: KnownWindows,
  turnaround: number,
  { now, duration, before }: Asked,
): FoundWindow | undefined => {
  const quarter = quarterAt(now)
  const { begins, until } = openingAt(windows, quarter, turnaround)
  const end = Math.ceil((now / 1000 + duration) / QUARTER) * QUARTER
  if (begins !== NEVER && end <= until) return { start: begins, end, isNow: true }
  const asked = { from: quarter + QUARTER, length: Math.ceil(duration / QUARTER) * QUARTER, latest: before - 1 }
  const found = findNextWindow(windows, turnaround, asked)
  return found && { ...found, isNow: false }
}

/** How a SUT that fits a request stands. */
export type Standing =
  | { readonly is: 'inactive' | 'offline' | 'free' }
  /** Reserved until it is free for long enough, which may be later than anybody waits. */
  | { readonly is: 'taken'; readonly until: number }
  /** Free, but not for long enough. */
  | { readonly is: 'short'; readonly until: number }

export const standingOf = (
  { isActive, isBookable, windows, turnaround }: Omit<KnownSut, '_id' | 'hash' | 'profile'>,
  { now, duration }: Omit<Asked, 'before'>,
): Standing => {
  if (!isBookable) return { is: isActive ? 'offline' : 'inactive' }
  const found = earliestWindow(windows, turnaround, { now, duration, before: NEVER })
  if (found?.isNow) return { is: 'free' }
  const { begins, until } = openingAt(windows, quarterAt(now), turnaround)
  const isTaken = begins === NEVER || until <= now / 1000
  return isTaken ? { is: 'taken', until: found?.start ?? NEVER } : { is: 'short', until }
}
