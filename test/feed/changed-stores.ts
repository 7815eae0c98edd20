import { type EventStore, StoreUnavailable } from '../../src/event-store/event-store.ts'

/** Stores that fail, change their log, or count events. */

/** A store whose subscriptions fail after a few events. */
export const failingAfter = (events: number) => {
  let breaks = 0
  return {
    breaks: () => breaks,
    change: (store: EventStore): Partial<EventStore> => ({
      async *subscribe(after, signal) {
        let given = 0
        for await (const batch of store.subscribe(after, signal)) {
          yield batch
          given += batch.events.length
          if (given < events) continue
          breaks++
          throw new StoreUnavailable('the line is cut')
        }
      },
    }),
  }
}

/** A store whose subscriptions fail on demand, and whose log then has different events. */
export const replaceable = () => {
  const cut = Promise.withResolvers<never>()
  cut.promise.catch(() => undefined)
  let isOther = false
  return {
    replace: (): void => {
      isOther = true
      cut.reject(new StoreUnavailable('the line is cut'))
    },
    change: (store: EventStore): Partial<EventStore> => ({
      async *subscribe(after, signal) {
        const batches = store.subscribe(after, signal)[Symbol.asyncIterator]()
        for (;;) {
          const { value, done } = await Promise.race([batches.next(), cut.promise])
          if (done) return
          yield value
        }
      },
      async *readStream(stream, after) {
        for await (const page of store.readStream(stream, after)) {
          yield isOther ? page.map((event) => ({ ...event, id: event.id.replace(/^./, 'f') })) : page
        }
      },
    }),
  }
}

/** A store that counts the events of its subscriptions. */
export const counted = () => {
  let events = 0
  return {
    events: () => events,
    change: (store: EventStore): Partial<EventStore> => ({
      async *subscribe(after, signal) {
        for await (const batch of store.subscribe(after, signal)) {
          events += batch.events.length
          yield batch
        }
      },
    }),
  }
}
