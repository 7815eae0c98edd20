import * as E from 'fp-ts/lib/Either.js'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import type { World } from '../../../src/service/service.ts'

/** The embedded store in a file, changed: for services over a store that is slow, fails or lies. */
export const changedStore =
  (path: string, change: (store: EventStore) => Partial<EventStore>): NonNullable<World['openStore']> =>
  (randomHex, onFatal) => {
    const store = openSqliteStore({ path, randomHex, onFatal })
    return { ...store, ...change(store) }
  }

/** A store whose appends to some streams wait until they are let through. */
export const makeGate = (isHeld: (stream: string) => boolean) => {
  const opened = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  return {
    /** When something waits. */
    reached: reached.promise,
    open: opened.resolve,
    change: (store: EventStore): Partial<EventStore> => ({
      append:
        (stream, ...rest) =>
        async () => {
          if (isHeld(stream)) {
            reached.resolve()
            await opened.promise
          }
          return store.append(stream, ...rest)()
        },
    }),
  }
}

/** A store that cannot be reached by appends as often as told, from the first one on for which that is so. */
export const failingAppends = (isFailing: (stream: string) => boolean, times: number) => {
  let left = times
  return (store: EventStore): Partial<EventStore> => ({
    append: (stream, ...rest) => {
      if (left === 0 || !isFailing(stream)) return store.append(stream, ...rest)
      left--
      return async () => E.left('unavailable')
    },
  })
}
