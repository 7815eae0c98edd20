import { BEFORE_FIRST, type PublicPosition } from '../../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import type { Members } from '../delayed-start.ts'
import type { WaitUntilDurable } from '../durability.ts'
import type { Supply } from '../stream.ts'
import { type GatherOptions, gather, type Stretch } from './gather.ts'
import { type Gathering, makeGathering } from './gathering.ts'
import { makePastChanges } from './past.ts'
import type { Sight } from './visibility.ts'

/** Gatherings that are kept for readers slightly behind. */
const KEPT_MAX = 64

export interface GatheringsOptions {
  readonly store: EventStore
  readonly views: Pick<Views, 'log' | 'position' | 'watch'>
  readonly limits: { readonly interval: number; readonly entries: number; readonly behind: number }
  readonly sight: Sight
  /** Reads what requests are compared with. @throws StoreUnavailable */
  readonly prepareRequests: () => Promise<unknown>
  readonly waitUntilDurable: WaitUntilDurable
  readonly settled: () => Promise<void> | undefined
  /** Called when there is a new one. */
  readonly wake: () => void
  readonly onFailed: (error: unknown) => void
}

/** What changed, in gatherings that all readers share. They are made only while somebody reads. */
export interface Gatherings extends Members {
  readonly readAfter: Supply<Gathering>['readAfter']
  readonly close: () => void
}

export const makeGatherings = (options: GatheringsOptions): Gatherings => {
  const { views, limits, sight, prepareRequests, waitUntilDurable, wake } = options
  let readers = 0
  let stop: (() => void) | undefined
  let published = BEFORE_FIRST
  let kept: readonly Gathering[] = []

  const made = (stretch: Stretch): Gathering => makeGathering({ ...stretch, sight, most: limits.entries })
  const ready: GatherOptions['ready'] = async (changes) => {
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

  const begin = (): void => {
    published = views.position()
    stop = gather({ ...options, ready, interval: limits.interval, eventsMax: limits.behind }, (stretch) => {
      published = stretch.to
      kept = [...kept.slice(1 - KEPT_MAX), made(stretch)]
      wake()
    })
  }
  const end = (): void => {
    stop?.()
    stop = undefined
    kept = []
  }

  const next = async (position: PublicPosition): Promise<Gathering> => {
    if (published - position > limits.behind) return made({ from: position, to: published, changes: undefined })
    const found = kept.find(({ to }) => to > position)
    if (found !== undefined && found.from <= position) return found
    await waitUntilDurable(published)
    return past(position, published)
  }

  return {
    join: async () => {
      readers++
      if (readers === 1) begin()
    },
    leave: () => {
      readers--
      if (readers === 0) end()
    },
    readAfter: async (position) => {
      // Of another log: this one has not got so far.
      if (position > views.position()) return [made({ from: position, to: published, changes: undefined })]
      return position < published ? [await next(position)] : []
    },
    close: end,
  }
}
