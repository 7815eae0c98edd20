import { quarterAt } from '../../domain/calendar/window.ts'
import { type SlotSet, slotsIn } from '../../domain/matching/fit-index.ts'
import type { KnownWindow, KnownWindows } from '../../domain/matching/openings.ts'
import { openingAt, putWindow } from '../../domain/matching/openings.ts'
import type { KnownSut, KnownSuts } from '../matching/suts.ts'
import { earliestWindow, type FoundWindow } from './standing.ts'

/** Someone who waits for one of some SUTs. */
export interface Waiter {
  readonly suts: SlotSet
  /** Seconds. */
  readonly duration: number
  /** Unix milliseconds: it waits no longer. */
  readonly expiresAt: number
}

/**
 * What would become of those who wait, one after the other in their order, if nothing but them happened from now on:
 * each takes the SUT that has room for it first.
 */
interface Estimate {
  /** Takes a window that is as good as reserved. */
  readonly book: (sutId: string, window: Omit<KnownWindow, 'isReleased'>) => void
  /** Lets one take its window; undefined if there is none before it waits no longer. */
  readonly take: (waiter: Waiter) => FoundWindow | undefined
}

const copyOf = ({ starts, ends, released, lastEnd }: KnownWindows): KnownWindows => ({
  starts: [...starts],
  ends: [...ends],
  released: new Set(released),
  lastEnd,
})

/** @param now Unix milliseconds */
export const makeEstimate = (suts: Pick<KnownSuts, 'at' | 'place' | 'size'>, now: number): Estimate => {
  const changed = new Map<number, KnownWindows>()
  /** No window of a SUT begins earlier, by slot; 0 where that is not known. SUTs that come later are left out. */
  const earliest = new Float64Array(suts.size())
  const quarter = quarterAt(now)

  const windowsOf = (slot: number, { windows }: KnownSut): KnownWindows => changed.get(slot) ?? windows

  const boundOf = (slot: number, sut: KnownSut): number => {
    const known = earliest[slot] ?? Number.POSITIVE_INFINITY
    if (known !== 0) return known
    const { until, retry } = openingAt(windowsOf(slot, sut), quarter, sut.turnaround)
    const bound = until > quarter ? quarter : Math.max(quarter, retry)
    earliest[slot] = bound
    return bound
  }

  const bookIn = (slot: number, sut: KnownSut, { start, end }: Omit<KnownWindow, 'isReleased'>): void => {
    const windows = changed.get(slot) ?? copyOf(sut.windows)
    putWindow(windows, { start, end, isReleased: false })
    changed.set(slot, windows)
    earliest[slot] = 0
  }

  return {
    book: (sutId, window) => {
      const slot = suts.place(sutId)
      const sut = slot === undefined ? undefined : suts.at(slot)
      if (slot !== undefined && sut !== undefined) bookIn(slot, sut, window)
    },
    take: ({ suts: own, duration, expiresAt }) => {
      let found: (FoundWindow & { readonly slot: number; readonly sut: KnownSut }) | undefined
      for (const slot of slotsIn(own)) {
        const sut = suts.at(slot)
        const before = found?.start ?? Math.ceil(expiresAt / 1000)
        if (sut?.isBookable !== true || boundOf(slot, sut) >= before) continue
        const window = earliestWindow(windowsOf(slot, sut), sut.turnaround, { now, duration, before })
        if (window !== undefined && window.start < before) found = { ...window, slot, sut }
        if (found?.isNow) break
      }
      if (found !== undefined) bookIn(found.slot, found.sut, found)
      return found
    },
  }
}
