import { setTimeout as delay } from 'node:timers/promises'
import { BEFORE_FIRST, type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import { makePace } from '../call-queue.ts'
import { type FollowOptions, followViews, untilDurable, whileJoined } from '../durability.ts'
import { type Change, collect } from './change.ts'
import { type Gathering, makeGathering, type Stretch } from './gathering.ts'
import { makePastChanges } from './past.ts'
import type { Sight } from './visibility.ts'

/** Gatherings that are kept for readers slightly behind. */
const KEPT_MAX = 64

interface GatheringsOptions extends FollowOptions {
  readonly store: EventStore
  readonly views: Pick<Views, 'log' | 'position' | 'watch'>
  readonly limits: { readonly interval: number; readonly entries: number; readonly behind: number }
  readonly sight: Sight
  /** Reads what requests are compared with. @throws StoreUnavailable */
  readonly prepareRequests: () => Promise<unknown>
  /** Resolves when what the views show of users is known elsewhere too. */
  readonly settled: () => Promise<void> | undefined
  /** Called when there is a new one. */
  readonly wake: () => void
}

/**
 * Gathers what the views fold into stretches that follow each other without a gap, once for all readers. Returns a
 * function that ends this.
 *
 * @param ready waits until it can be said who sees what has changed; undefined if it cannot
 */
const gather = (
  options: GatheringsOptions,
  ready: (changes: readonly Change[]) => Promise<Stretch['changes']>,
  publish: (stretch: Stretch) => void,
): (() => void) => {
  const { views, waitUntilDurable, settled, limits } = options
  let last = views.position()
  let open = { from: last, collected: collect() }
  return followViews(options, {
    note: (events, first) => {
      last = toPublicPosition(first + events.length - 1)
      if (last - open.from <= limits.behind)
        for (const [n, event] of events.entries()) open.collected.add(event, toPublicPosition(first + n))
    },
    isPending: () => last > open.from,
    passOn: async (signal) => {
      await delay(limits.interval, undefined, { signal, ref: false })
      const { from, collected } = open
      const to = last
      open = { from: to, collected: collect() }
      // Nothing is told before it is certain to stay. The disk is waited for once for all of it.
      await untilDurable(waitUntilDurable, to, signal)
      // Scopes that cannot be read stay as they were, here as in lists.
      await settled()?.catch(() => undefined)
      const changes = to - from > limits.behind ? undefined : await ready(collected.changes())
      if (!signal.aborted) publish({ from, to, changes })
    },
  })
}

/** What changed, in gatherings that all readers share. They are made only while somebody reads. */
export const makeGatherings = (options: GatheringsOptions) => {
  const { views, limits, sight, prepareRequests, waitUntilDurable, wake } = options
  let published = BEFORE_FIRST
  let kept: readonly Gathering[] = []
  const pace = makePace()

  const made = (stretch: Stretch): Gathering => makeGathering({ ...stretch, sight, pace, most: limits.entries })
  const ready = async (changes: readonly Change[]): Promise<Stretch['changes']> => {
    if (!changes.some(({ kind }) => kind === 'sut_request')) return changes
    try {
      await prepareRequests()
      return changes
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined
      throw error
    }
  }
  const past = makePastChanges({ ...options, ready }, made)

  const shared = whileJoined(() => {
    published = views.position()
    const stop = gather(options, ready, (stretch) => {
      published = stretch.to
      kept = [...kept.slice(1 - KEPT_MAX), made(stretch)]
      wake()
    })
    return () => {
      stop()
      kept = []
    }
  })

  const next = async (userId: string, position: PublicPosition): Promise<Gathering> => {
    if (published - position > limits.behind) return made({ from: position, to: published, changes: undefined })
    const found = kept.find(({ to }) => to > position)
    if (found !== undefined && found.from <= position) return found
    await waitUntilDurable(published)
    return past(userId, position, published)
  }

  /** What follows a position, for a user; undefined if there is nothing yet. */
  const readAfter = async (userId: string, position: PublicPosition): Promise<Gathering | undefined> => {
    // Of another log: this one has not got so far.
    if (position > views.position()) return made({ from: position, to: published, changes: undefined })
    return position < published ? next(userId, position) : undefined
  }

  return { ...shared, readAfter }
}
