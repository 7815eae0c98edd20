import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { earlierPosition, nextPosition, type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import { CHUNK, storePositionBefore } from '../chunks.ts'
import { openCursor } from '../cursor.ts'
import { makeReadTurns } from '../read-turns.ts'
import { type Change, collect } from './change.ts'
import type { Stretch } from './gathering.ts'

/** Stretches that are kept for readers that come back together. */
const KEPT_MAX = 8
/** Stretches begin at multiples of this, so that readers that left at about the same position share them. */
const STEP = 1_024

interface PastOptions {
  readonly store: EventStore
  readonly views: Pick<Views, 'log'>
  /** As of gathering. */
  readonly ready: (changes: readonly Change[]) => Promise<Stretch['changes']>
}

/** Calls that are shared while they run, and kept afterwards unless they fail. */
const makeKept = <A>() => {
  const kept = new LRUCache<string, Promise<A>>({ max: KEPT_MAX })
  return {
    find: (name: string): Promise<A> | undefined => kept.get(name),
    start: (name: string, make: () => Promise<A>): Promise<A> => {
      const making = make()
      kept.set(name, making)
      making.catch(() => kept.delete(name))
      return making
    },
  }
}

/** Reads what changed from the log, for readers that come back. */
export const makePastChanges = <A>({ store, views, ready }: PastOptions, made: (stretch: Stretch) => A) => {
  const stretches = makeKept<readonly Change[]>()
  const gatherings = makeKept<A>()
  const inTurn = makeReadTurns()

  const read = async (from: PublicPosition, to: PublicPosition): Promise<readonly Change[]> => {
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
    return collected.changes()
  }

  /**
   * A stretch that begins at or before `position` and ends after it, at `end` at the latest.
   *
   * @param userId who reads
   * @throws StoreUnavailable when the log cannot be read
   */
  return (userId: string, position: PublicPosition, end: PublicPosition): Promise<A> => {
    const from = toPublicPosition(Math.floor((position + 1) / STEP) * STEP - 1)
    const to = earlierPosition(toPublicPosition(from + STEP), end)
    const name = `${from} ${to}`
    // Events of a stretch never change. Who sees the objects may, with each event after it.
    const asOfEnd = `${name} ${end}`
    return inTurn(
      userId,
      () => gatherings.find(asOfEnd),
      () =>
        gatherings.start(asOfEnd, async () => {
          const changes = await (stretches.find(name) ?? stretches.start(name, () => read(from, to)))
          return made({ from, to, changes: await ready(changes) })
        }),
    )
  }
}
