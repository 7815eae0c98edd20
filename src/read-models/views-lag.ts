import { setTimeout } from 'node:timers/promises'
import type { StorePosition } from '../domain/values/position.ts'
import { BEGINNING, type EventStore } from '../event-store/event-store.ts'
import type { ViewsFile } from './file/views-file.ts'

/** Milliseconds between reads of a file that another process writes. */
const POLL_EVERY = 50

const storePositionOf = (file: Pick<ViewsFile, 'progress'>): StorePosition =>
  file.progress()?.storePosition ?? BEGINNING

/** Resolves when another process has written views up to a store position, or after `within` milliseconds. */
export const waitForWrittenViews = async (
  file: ViewsFile,
  storePosition: StorePosition,
  within: number,
): Promise<void> => {
  const end = performance.now() + within
  while (storePositionOf(file) < storePosition && performance.now() < end) await setTimeout(POLL_EVERY)
}

/** Counts the events up to the store position `head` that written views do not cover. */
export const countUnwritten = async (store: EventStore, file: ViewsFile, head: StorePosition): Promise<number> => {
  if (storePositionOf(file) >= head) return 0
  const stop = new AbortController()
  let count = 0
  for await (const { events, ahead, caughtUp } of store.subscribe(storePositionOf(file), stop.signal)) {
    count += events.length
    // A store that knows how many follow saves reading them.
    if (ahead !== undefined) count += Math.max(0, ahead)
    if (ahead !== undefined || caughtUp || (events.at(-1)?.storePosition ?? BEGINNING) >= head) break
  }
  stop.abort()
  return count
}
