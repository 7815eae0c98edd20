import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { nextPosition, type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import { CHUNK, storePositionBefore } from '../chunks.ts'
import { openCursor } from '../cursor.ts'
import { type Change, collect } from './change.ts'
import type { Stretch } from './gathering.ts'

/** Stretches that are kept for readers that come back together. */
const KEPT_MAX = 8
/** Stretches begin at multiples of this, so that readers that left at about the same position share one. */
const STEP = 1_024

interface PastOptions {
  readonly store: EventStore
  readonly views: Pick<Views, 'log'>
  /** As of gathering. */
  readonly ready: (changes: readonly Change[]) => Promise<Stretch['changes']>
}

/** Reads what changed from the log, for readers that come back. */
export const makePastChanges = <A>({ store, views, ready }: PastOptions, made: (stretch: Stretch) => A) => {
  const kept = new LRUCache<string, Promise<A>>({ max: KEPT_MAX })

  const read = async (from: PublicPosition, to: PublicPosition): Promise<A> => {
    const first = nextPosition(from)
    const cursor = openCursor(store, storePositionBefore(views, first), first)
    const collected = collect()
    try {
      for (let next = first; next <= to; ) {
        for (const event of await cursor.take(Math.min(CHUNK, to + 1 - next))) {
          collected.add(event, next)
          next = nextPosition(next)
        }
        await turn()
      }
    } finally {
      cursor.close()
    }
    return made({ from, to, changes: await ready(collected.changes()) })
  }

  /** A stretch that begins at or before `position`. @throws StoreUnavailable when the log cannot be read */
  return (position: PublicPosition, to: PublicPosition): Promise<A> => {
    const from = toPublicPosition(Math.floor((position + 1) / STEP) * STEP - 1)
    const name = `${from} ${to}`
    const found = kept.get(name)
    if (found !== undefined) return found
    const reading = read(from, to)
    kept.set(name, reading)
    reading.catch(() => kept.delete(name))
    return reading
  }
}
