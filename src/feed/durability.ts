import { setTimeout as delay } from 'node:timers/promises'
import { nextPosition, type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import { type Batch, type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'

/**
 * Waits until all events up to a position are durable. Undefined when they are known to be, as all but the newest are.
 * Rejects with StoreUnavailable when they may never be.
 */
export type WaitUntilDurable = (position: PublicPosition) => Promise<void> | undefined

export interface DurabilityOptions {
  readonly store: Pick<EventStore, 'synced'>
  readonly views: Pick<Views, 'position'>
}

export const makeWaitUntilDurable = ({ store, views }: DurabilityOptions): WaitUntilDurable => {
  let known = -1
  return (position) => {
    if (position <= known) return undefined
    // Every folded event was committed before this call, so one sync covers them too.
    const committed = Math.max(position, views.position())
    const learn = (): void => {
      known = Math.max(known, committed)
    }
    const syncing = store.synced?.()
    if (syncing === undefined) learn()
    return syncing?.then(learn)
  }
}

/**
 * What readers that follow the log share, from the first that joins to the last that leaves.
 *
 * @param begin returns what ends it
 */
export const whileJoined = (begin: () => () => void) => {
  let readers = 0
  let end: (() => void) | undefined
  const close = (): void => {
    end?.()
    end = undefined
  }
  return {
    join: (): void => {
      readers++
      if (readers === 1) end = begin()
    },
    leave: (): void => {
      readers--
      if (readers === 0) close()
    },
    close,
  }
}

/** Before waiting again for events that may never be durable. */
const RETRY_DELAY_MS = 250

/** Waits for as long as it takes. Rejects when `signal` is aborted, or with an error that a retry would not help. */
export const untilDurable = async (
  waitUntilDurable: WaitUntilDurable,
  position: PublicPosition,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    try {
      return await waitUntilDurable(position)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
    await delay(RETRY_DELAY_MS, undefined, { signal, ref: false })
  }
}

export interface FollowOptions {
  readonly views: Pick<Views, 'position' | 'watch'>
  readonly waitUntilDurable: WaitUntilDurable
  /** Called when what follows cannot be passed on, and a retry would not help. */
  readonly onFailed: (error: unknown) => void
}

/** What becomes of events: they are noted as they come, and passed on in runs that do not overlap. */
interface Passing {
  /** Gets events and the position of the first. */
  readonly note: (events: Batch['events'], first: PublicPosition) => void
  /** Whether something noted has not been passed on. */
  readonly isPending: () => boolean
  readonly passOn: (signal: AbortSignal) => Promise<void>
}

/** Passes on all events that the views fold from now on, in order. Returns a function that ends this. */
export const followViews = (
  { views, onFailed }: Pick<FollowOptions, 'views' | 'onFailed'>,
  { note, isPending, passOn }: Passing,
): (() => void) => {
  const stop = new AbortController()
  const { signal } = stop
  // Streams begin once the views have caught up. Before that, a position is ahead of what its watchers have been told.
  let next = nextPosition(views.position())
  let isRunning = false

  const run = async (): Promise<void> => {
    while (isPending() && !signal.aborted) await passOn(signal)
    isRunning = false
  }

  const unwatch = views.watch((events) => {
    if (events.length === 0) return
    note(events, next)
    next = toPublicPosition(next + events.length)
    if (isRunning) return
    isRunning = true
    run().catch((error) => {
      if (!signal.aborted) onFailed(error)
    })
  })
  return () => {
    unwatch()
    stop.abort()
  }
}

/**
 * The same, once they are durable.
 *
 * @param take gets events and the position of the first
 */
export const followDurable = (options: FollowOptions, take: Passing['note']): (() => void) => {
  let folded: Batch['events'][number][] = []
  let first = nextPosition(options.views.position())
  return followViews(options, {
    note: (events) => {
      for (const event of events) folded.push(event)
    },
    isPending: () => folded.length > 0,
    passOn: async (signal) => {
      const events = folded
      folded = []
      const next = toPublicPosition(first + events.length)
      await untilDurable(options.waitUntilDurable, toPublicPosition(next - 1), signal)
      if (signal.aborted) return
      take(events, first)
      first = next
    },
  })
}
