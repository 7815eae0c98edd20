import { setTimeout as delay } from 'node:timers/promises'
import { type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import { type Batch, StoreUnavailable } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import type { WaitUntilDurable } from '../durability.ts'
import { type Change, type Collected, collect } from './change.ts'

/** Changes of a stretch of the log. */
export interface Stretch {
  readonly from: PublicPosition
  readonly to: PublicPosition
  /** Undefined if there are too many. */
  readonly changes: readonly Change[] | undefined
}

export interface GatherOptions {
  readonly views: Pick<Views, 'position' | 'watch'>
  readonly waitUntilDurable: WaitUntilDurable
  /** Resolves when what the views show of users is known elsewhere too. */
  readonly settled: () => Promise<void> | undefined
  /** Waits until it can be said who sees what has changed; undefined if it cannot. */
  readonly ready: (changes: readonly Change[]) => Promise<Stretch['changes']>
  /** Milliseconds during which changes are gathered. */
  readonly interval: number
  /** Events of a gathering, at most. */
  readonly eventsMax: number
  readonly onFailed: (error: unknown) => void
}

interface Open {
  readonly collected: Collected
  events: number
}

/**
 * Gathers what the views fold into stretches that follow each other without a gap, once for all readers. Returns a
 * function that ends this.
 */
export const gather = (options: GatherOptions, publish: (stretch: Stretch) => void): (() => void) => {
  const { views, waitUntilDurable, settled, ready, interval, eventsMax, onFailed } = options
  const stop = new AbortController()
  const { signal } = stop
  let published = views.position()
  let open: Open | undefined
  let isRunning = false

  const pause = (): Promise<void> => delay(interval, undefined, { signal, ref: false }).catch(() => undefined)

  /** Nothing is told before it is certain to stay. */
  const untilDurable = async (position: PublicPosition): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await waitUntilDurable(position)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        await pause()
      }
    }
  }

  const run = async (): Promise<void> => {
    while (open !== undefined) {
      await pause()
      const { collected, events } = open
      open = undefined
      const [from, to] = [published, views.position()]
      await untilDurable(to)
      // Scopes that cannot be read stay as they were, here as in lists.
      await settled()?.catch(() => undefined)
      const changes = events > eventsMax ? undefined : await ready(collected.changes())
      if (signal.aborted) return
      published = to
      publish({ from, to, changes })
    }
    isRunning = false
  }

  const take = (events: Batch['events']): void => {
    open ??= { collected: collect(), events: 0 }
    const first = views.position() - events.length + 1
    open.events += events.length
    if (open.events <= eventsMax)
      for (const [n, event] of events.entries()) open.collected.add(event, toPublicPosition(first + n))
    if (isRunning) return
    isRunning = true
    run().catch((error) => {
      if (!signal.aborted) onFailed(error)
    })
  }

  const unwatch = views.watch((events) => {
    if (events.length > 0) take(events)
  })
  return () => {
    unwatch()
    stop.abort()
  }
}
