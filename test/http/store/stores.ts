import * as E from 'fp-ts/lib/Either.js'
import type { Runtime } from '../../../src/app/service.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'

/** The embedded store with changes, for services on a store that is slow, fails or lies. */
export const changedStore =
  (path: string, change: (store: EventStore) => Partial<EventStore>): NonNullable<Runtime['openStore']> =>
  (randomHex, onFatal) => {
    const store = openSqliteStore({ path, randomHex, onFatal })
    return { ...store, ...change(store) }
  }

/** A store whose appends to some streams wait until the gate opens. */
export const makeGate = (isHeld: (stream: string) => boolean) => {
  const opened = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  return {
    /** Resolves when an append waits. */
    reached: reached.promise,
    open: opened.resolve,
    change: (store: EventStore): Partial<EventStore> => ({
      append: async (stream, ...rest) => {
        if (isHeld(stream)) {
          reached.resolve()
          await opened.promise
        }
        return store.append(stream, ...rest)
      },
    }),
  }
}

/** A store whose first `times` appends to matching streams fail as unavailable. */
export const failingAppends = (isFailing: (stream: string) => boolean, times: number) => {
  let left = times
  return (store: EventStore): Partial<EventStore> => ({
    append: async (stream, ...rest) => {
      if (left === 0 || !isFailing(stream)) return store.append(stream, ...rest)
      left--
      return E.left('unavailable')
    },
  })
}
