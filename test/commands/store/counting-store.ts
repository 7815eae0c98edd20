import type { EventStore } from '../../../src/event-store/event-store.ts'

/** A store that counts its calls. */
export interface CountingStore {
  readonly store: EventStore
  readonly appends: () => number
  readonly streamsRead: () => number
  readonly eventsRead: () => number
}

export const counting = (store: EventStore): CountingStore => {
  let appends = 0
  let streams = 0
  let events = 0
  return {
    appends: () => appends,
    streamsRead: () => streams,
    eventsRead: () => events,
    store: {
      ...store,
      append: (...given) => {
        appends++
        return store.append(...given)
      },
      async *readStream(stream, after) {
        streams++
        for await (const page of store.readStream(stream, after)) {
          events += page.length
          yield page
        }
      },
    },
  }
}
