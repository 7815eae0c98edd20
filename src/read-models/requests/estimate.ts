import { QUARTER, quarterAt } from '../../domain/calendar/window.ts'
import {
  findNextWindow,
  type KnownWindow,
  type KnownWindows,
  NEVER,
  openingAt,
  putWindow,
} from '../../domain/matching/openings.ts'
import { type SlotSet, slotsIn } from '../../domain/matching/slot-set.ts'
import type { Waiting } from '../../domain/request/queue.ts'
import { type KnownSut, type KnownSuts, openingOf } from '../matching/suts.ts'

type BookedWindow = Omit<KnownWindow, 'isReleased'>

interface Found extends BookedWindow {
  readonly isNow: boolean
}

/**
 * The earliest window that a SUT has free before a moment. One that begins now has the rest of its quarter too; later
 * ones are on the grid, since that is where reservations end.
 */
const earliestWindow = (
  windows: KnownWindows,
  turnaround: number,
  { now, duration, before }: { readonly now: number; readonly duration: number; readonly before: number },
): Found | undefined => {
  const quarter = quarterAt(now)
  const { begins, until } = openingAt(windows, quarter, turnaround)
  const end = Math.ceil((now / 1000 + duration) / QUARTER) * QUARTER
  if (begins !== NEVER && end <= until) return { start: begins, end, isNow: true }
  const asked = { from: quarter + QUARTER, length: Math.ceil(duration / QUARTER) * QUARTER, latest: before - 1 }
  const window = findNextWindow(windows, turnaround, asked)
  return window && { ...window, isNow: false }
}

/**
 * What would become of those who wait, one after the other in their order, if nothing but them happened from now on:
 * each takes the SUT that has room for it first.
 *
 * @param now Unix milliseconds
 */
export const makeEstimate = (suts: Pick<KnownSuts, 'at' | 'find'>, now: number) => {
  /** The windows of SUTs that somebody has taken. */
  const taken = new Map<number, KnownWindows>()
  const quarter = quarterAt(now)

  /** No window of a SUT begins earlier. */
  const boundOf = (sut: KnownSut): number => {
    const { until, retry } = openingOf(sut, quarter)
    return until > quarter ? quarter : Math.max(quarter, retry)
  }

  const bookIn = ({ slot, windows }: KnownSut, { start, end }: BookedWindow): void => {
    const { starts, ends, released, lastEnd } = taken.get(slot) ?? windows
    const copy = { starts: [...starts], ends: [...ends], released: new Set(released), lastEnd }
    putWindow(copy, { start, end, isReleased: false })
    taken.set(slot, copy)
  }

  return {
    /** Takes a window that is as good as reserved. */
    book: (sutId: string, window: BookedWindow): void => {
      const sut = suts.find(sutId)
      if (sut !== undefined) bookIn(sut, window)
    },
    /** Lets a request take its window among some SUTs. Its start in Unix seconds; undefined if it waits in vain. */
    take: ({ duration, expiresAt }: Pick<Waiting, 'duration' | 'expiresAt'>, own: SlotSet): number | undefined => {
      let best: (Found & { readonly sut: KnownSut }) | undefined
      for (const slot of slotsIn(own)) {
        const sut = suts.at(slot)
        const before = best?.start ?? Math.ceil(expiresAt / 1000)
        if (sut?.isBookable !== true || boundOf(sut) >= before) continue
        const windows = taken.get(slot) ?? sut.windows
        const window = earliestWindow(windows, sut.turnaround, { now, duration, before })
        if (window !== undefined && window.start < before) best = { ...window, sut }
        if (best?.isNow) break
      }
      if (best !== undefined) bookIn(best.sut, best)
      return best?.start
    },
  }
}
