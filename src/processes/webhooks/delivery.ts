import { setImmediate as turn } from 'node:timers/promises'
import { makeJoined } from '../../concurrency/once.ts'
import type { DeliveryFailure } from '../../domain/events/webhook.ts'
import { laterPosition, type PublicPosition, previousPosition } from '../../domain/values/position.ts'
import type { Milliseconds } from '../../domain/values/units.ts'
import type { FeedEntry } from '../../feed/events/entry.ts'
import { CONNECTIONS_MAX, type Sent } from './send.ts'

interface Item {
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
const makeQueue = (sinceBoot: () => Milliseconds) => {
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

/** Before each attempt after the first. */
export const RETRY_DELAYS: readonly Milliseconds[] = [5, 30, 120, 600, 3_600, 10_800, 28_800].map((s) => s * 1_000)

/** Events that were read and not delivered, so that those of many SUTs are at hand. */
const AHEAD_MAX = 256

/** Why nothing more is sent: the receiver wants no more, or the last attempt failed. */
type DeliveryEnd = 'gone' | { readonly position: PublicPosition; readonly failure: DeliveryFailure }

interface DeliveryOptions {
  /** Everything up to it was delivered. */
  readonly after: PublicPosition
  /** What follows a position; empty if there is nothing yet. @throws StoreUnavailable */
  readonly readAfter: (position: PublicPosition) => Promise<readonly FeedEntry[]>
  readonly isWanted: (entry: FeedEntry) => boolean
  readonly send: (entry: FeedEntry, attempt: number) => Promise<Sent>
  /** Whether this instance may send now. Asked whenever there is something to send. */
  readonly maySend: () => boolean
  /** Monotonic. */
  readonly sinceBoot: () => Milliseconds
  readonly onDelivered: () => void
  readonly onError: (error: unknown) => void
}

/** Delivers the events of the log to one receiver, in order for each SUT. */
export const makeDelivery = (options: DeliveryOptions) => {
  const { readAfter, isWanted, send, maySend, sinceBoot, onDelivered, onError } = options
  const queue = makeQueue(sinceBoot)
  /** Up to `read` the log was read. */
  let [read, isStopped] = [options.after, false]
  let over: DeliveryEnd | undefined

  const settle = (item: Item, { status, failure }: Sent): void => {
    if (failure === undefined) {
      queue.finish(item)
      onDelivered()
      return
    }
    const delay = status === 410 ? undefined : RETRY_DELAYS[item.attempts]
    queue.fail(item, delay)
    if (delay === undefined) over = status === 410 ? 'gone' : { position: item.entry.position, failure }
  }

  const begin = async (item: Item): Promise<void> => {
    item.is = 'under way'
    try {
      const sent = await send(item.entry, item.attempts + 1)
      if (!isStopped) settle(item, sent)
    } catch (error) {
      // Nothing could be sent: the next look tries again.
      item.is = 'waiting'
      throw error
    }
    act()
  }

  const deliver = (): void => {
    if (isStopped || queue.size() === 0 || !maySend()) return
    for (const item of queue.due(CONNECTIONS_MAX)) begin(item).catch(onError)
  }

  const readOn = makeJoined(async () => {
    while (!isStopped && queue.size() < AHEAD_MAX) {
      const entries = await readAfter(read)
      if (entries.length === 0) return
      // Some may have been skipped meanwhile.
      for (const entry of entries.filter(({ position }) => position > read)) if (isWanted(entry)) queue.add(entry)
      read = laterPosition(read, (entries.at(-1) as FeedEntry).position)
      deliver()
      // What others have read is at hand, and needs no I/O.
      await turn()
    }
  })

  /** Reads what is new, and sends what is due. */
  const act = (): void => {
    deliver()
    if (!isStopped && queue.size() < AHEAD_MAX) readOn().catch(onError)
  }

  return {
    act,
    /** Everything up to here was delivered, or is not wanted. */
    position: (): PublicPosition => queue.before() ?? read,
    /** Another instance has delivered everything up to a position. */
    skip: (position: PublicPosition): void => {
      queue.skip(position)
      read = laterPosition(read, position)
    },
    over: () => over,
    /** Tries at once what would wait. */
    retry: (): void => {
      over = undefined
      queue.retry()
    },
    stop: (): void => {
      isStopped = true
    },
  }
}
