import { LRUCache } from 'lru-cache'
import type { EventStore } from './event-store.ts'

/** Appended events that are remembered until the subscription brings them: more than there are in a second. */
const REMEMBERED_MAX = 16_384

/** A store that remembers which events were appended through it last. */
export const noteAppends = (
  store: EventStore,
): { readonly store: EventStore; readonly isOwn: (event: { readonly id: string }) => boolean } => {
  const recent = new LRUCache<string, true>({ max: REMEMBERED_MAX })
  return {
    store: {
      ...store,
      append: async (stream, revision, events, ...more) => {
        // Before the answer: the subscription may be faster.
        for (const { id } of events) recent.set(id, true)
        return store.append(stream, revision, events, ...more)
      },
    },
    isOwn: ({ id }) => recent.has(id),
  }
}
