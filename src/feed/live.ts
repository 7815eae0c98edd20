import { setTimeout as delay } from 'node:timers/promises'
import type { Logged } from '../domain/event.ts'
import { type PublicPosition, previousPosition, toPublicPosition } from '../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import { beforeTheFirst, logContinues, type Progress, progressAfter } from '../read-models/file/progress.ts'
import { makeOutageTimer, type OnResumed } from '../read-models/projector/outage-timer.ts'
import type { Views } from '../read-models/views.ts'
import { CHUNK, chunkStart, storePositionBefore } from './chunks.ts'
import type { WaitUntilDurable } from './durability.ts'
import { type FeedEntry, makeEntry } from './events/entry.ts'
import { makeWaiting } from './waiting.ts'

/** Newest events kept for readers slightly behind; at most twice as many. */
const NEWEST_MIN = 8 * CHUNK
/** Before subscribing again. */
const RETRY_DELAY_MS = 100

export interface LiveOptions {
  readonly store: EventStore
  readonly views: Pick<Views, 'log' | 'position'>
  readonly origin: string
  readonly waitUntilDurable: WaitUntilDurable
  /** Called when an interrupted subscription has resumed. */
  readonly onResumed?: OnResumed
  /** Called when the subscription failed and a retry would not help. */
  readonly onFailed: (error: unknown) => void
}

/**
 * One subscription to the log, shared by all readers that have caught up. It exists only while there are such readers.
 */
export interface Live {
  /** Starts the subscription if this is the first reader. @throws StoreUnavailable when the log cannot be read */
  readonly join: () => Promise<void>
  readonly leave: () => void
  /** At most a chunk of the events after a position; undefined if some of them are no longer kept. */
  readonly newestAfter: (position: PublicPosition) => readonly FeedEntry[] | undefined
  /** Calls `call` once, when there are new events. */
  readonly onChange: (call: () => void) => void
  readonly forget: (call: () => void) => void
  readonly close: () => void
}

/** The progress just before a position. */
const progressBefore = async ({ store, views }: LiveOptions, position: PublicPosition): Promise<Progress> => {
  if (position === 0) return beforeTheFirst(store.logId)
  const event = await store.at(storePositionBefore(views, position))
  if (event === undefined || views.log()?.positionOf(event.id) !== position - 1) {
    throw new StoreUnavailable('the log holds another event at a known position')
  }
  return { ...progressAfter(beforeTheFirst(store.logId), event), position: previousPosition(position) }
}

/**
 * Passes on every event after `from`, across interruptions of the store's subscription. It waits for the disk once for
 * all readers. Otherwise they would all continue in one turn, ahead of other work.
 */
const follow = async (
  { store, waitUntilDurable, onResumed }: Pick<LiveOptions, 'store' | 'waitUntilDurable' | 'onResumed'>,
  from: Progress,
  signal: AbortSignal,
  give: (events: readonly Logged[]) => void,
): Promise<void> => {
  const outage = makeOutageTimer(onResumed)
  let progress = from
  while (!signal.aborted) {
    try {
      // If the log does not continue, the views detect it too, and subscribers are disconnected then.
      if (await logContinues(store, progress)) {
        for await (const { events } of store.subscribe(progress.storePosition, signal)) {
          outage.end()
          const reached = events.reduce(progressAfter, progress)
          await waitUntilDurable(reached.position)
          progress = reached
          if (events.length > 0) give(events)
        }
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      outage.begin(error)
    }
    await delay(RETRY_DELAY_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** The newest events. The oldest kept one begins a chunk, so that everything before it is whole chunks. */
const makeNewest = (origin: string) => {
  let entries: FeedEntry[] = []
  return {
    add: (events: readonly Logged[], first: PublicPosition): void => {
      for (const [i, event] of events.entries()) entries.push(makeEntry(event, toPublicPosition(first + i), origin))
      if (entries.length >= 2 * NEWEST_MIN)
        entries = entries.slice(entries.length - (entries.length % CHUNK) - NEWEST_MIN)
    },
    after: (position: PublicPosition): readonly FeedEntry[] | undefined => {
      const [oldest] = entries
      if (oldest === undefined || position < oldest.position - 1) return undefined
      const from = position + 1 - oldest.position
      return entries.slice(from, from + CHUNK)
    },
    forget: (): void => {
      entries = []
    },
  }
}

export const makeLive = (options: LiveOptions): Live => {
  const { views, origin, onFailed } = options
  const newest = makeNewest(origin)
  const waiting = makeWaiting()
  let joined = 0
  let running: { readonly stop: AbortController; readonly begun: Promise<void> } | undefined

  const begin = async (stop: AbortController): Promise<void> => {
    const first = chunkStart(views.position())
    const progress = await progressBefore(options, first)
    if (stop.signal.aborted) return
    let next = first
    const give = (events: readonly Logged[]): void => {
      if (stop.signal.aborted) return
      newest.add(events, next)
      next = toPublicPosition(next + events.length)
      waiting.wake()
    }
    follow(options, progress, stop.signal, give).catch((error) => {
      if (!stop.signal.aborted) onFailed(error)
    })
  }

  const end = (): void => {
    running?.stop.abort()
    running = undefined
    newest.forget()
  }

  return {
    join: async () => {
      joined++
      if (running === undefined) {
        const stop = new AbortController()
        running = { stop, begun: begin(stop) }
      }
      const { begun } = running
      try {
        await begun
      } catch (error) {
        if (running?.begun === begun) end()
        joined--
        throw error
      }
    },
    leave: () => {
      joined--
      if (joined === 0) end()
    },
    newestAfter: newest.after,
    onChange: waiting.add,
    forget: waiting.forget,
    close: end,
  }
}
