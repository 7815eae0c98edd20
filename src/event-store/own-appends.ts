import type { EventStore } from './event-store.ts'

/** Appended events that are remembered until the subscription brings them: more than there are in a second. */
const REMEMBERED_MAX = 16_384

/** A store that remembers which events were appended through it last. */
export const noteAppends = (
  store: EventStore,
): { readonly store: EventStore; readonly isOwn: (event: { readonly id: string }) => boolean } => {
  /** Two generations, so that the oldest are forgotten without a search. */
  let [recent, former] = [new Set<string>(), new Set<string>()]
  const note = (id: string): void => {
    if (recent.size >= REMEMBERED_MAX / 2) [recent, former] = [new Set(), recent]
    recent.add(id)
  }
  return {
    store: {
      ...store,
      append: async (stream, revision, events, ...more) => {
        // Before the answer: the subscription may be faster.
        for (const { id } of events) note(id)
        return store.append(stream, revision, events, ...more)
      },
    },
    isOwn: ({ id }) => recent.has(id) || former.has(id),
  }
}
