import { type PublicPosition, previousPosition } from '../../domain/values/position.ts'
import type { Milliseconds } from '../../domain/values/units.ts'
import type { FeedEntry } from '../../feed/events/entry.ts'

export interface Item {
  readonly entry: FeedEntry
  /** That have failed. */
  attempts: number
  /** Of the next attempt, in monotonic milliseconds. */
  dueAt: Milliseconds
  is: 'waiting' | 'under way' | 'done'
}

/**
 * What was read and is not delivered, in order of the log. Those of one SUT are sent one after the other, those of
 * different SUTs side by side. While one waits to be tried again no other is begun: the receiver is taken to be down, and
 * little is left behind it that a crash would repeat.
 */
export const makeQueue = (sinceBoot: () => Milliseconds) => {
  let items: Item[] = []
  return {
    size: () => items.length,
    /** The position before the first event that is not delivered; undefined if all are. */
    before: (): PublicPosition | undefined => items[0] && previousPosition(items[0].entry.position),
    add: (entry: FeedEntry): void => {
      items.push({ entry, attempts: 0, dueAt: 0, is: 'waiting' })
    },
    /** What may be begun now, so that at most so many are under way. */
    due: (underWayMax: number): readonly Item[] => {
      const failed = items.find(({ is, attempts }) => is === 'waiting' && attempts > 0)
      if (failed !== undefined && sinceBoot() < failed.dueAt) return []
      const busy = new Set<string>()
      const due: Item[] = []
      let underWay = 0
      for (const item of items) {
        const { sutId = '' } = item.entry
        if (item.is === 'under way') underWay++
        else if (item.is === 'waiting' && !busy.has(sutId) && (failed ?? item) === item) due.push(item)
        if (item.is !== 'done') busy.add(sutId)
      }
      return due.slice(0, Math.max(0, underWayMax - underWay))
    },
    finish: (item: Item): void => {
      item.is = 'done'
      while (items[0]?.is === 'done') items.shift()
    },
    /** @param delay milliseconds; never again without */
    fail: (item: Item, delay = Number.POSITIVE_INFINITY): void => {
      item.is = 'waiting'
      item.attempts++
      item.dueAt = sinceBoot() + delay
    },
    /** Drops what lies up to a position. */
    skip: (position: PublicPosition): void => {
      items = items.filter(({ entry }) => entry.position > position)
    },
    /** Tries at once what would wait. */
    retry: (): void => {
      for (const item of items) Object.assign(item, { attempts: 0, dueAt: 0 })
    },
  }
}
