import type { EventStore } from '../../../src/event-store/event-store.ts'

/** A store whose subscribers get nothing while it is held, so that an instance on it lags. */
export const makeHold = () => {
  let opened = Promise.withResolvers<void>()
  opened.resolve()
  return {
    hold: (): void => {
      opened = Promise.withResolvers<void>()
    },
    letGo: (): void => opened.resolve(),
    change: (store: EventStore): Partial<EventStore> => ({
      async *subscribe(after, signal) {
        const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        for await (const batch of store.subscribe(after, signal)) {
          await Promise.race([opened.promise, stopped])
          yield batch
        }
      },
    }),
  }
}
