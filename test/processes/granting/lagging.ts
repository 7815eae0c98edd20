/** Views that can be made to lag behind the store, and the users that they know. */

import * as E from 'fp-ts/lib/Either.js'
import type { Recorded } from '../../../src/domain/event.ts'
import { parseScope } from '../../../src/domain/user/scope.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openViews, type Views } from '../../../src/read-models/views.ts'
import type { LabUser } from './instance.ts'

/** Users by id, who can be removed and come back. */
const makeKnownUsers = () => {
  const users = new Map<string, LabUser>()
  const removed = new Map<string, LabUser>()
  const move = (id: string, from: Map<string, LabUser>, to: Map<string, LabUser>): void => {
    const user = from.get(id)
    if (user !== undefined) to.set(id, user)
    from.delete(id)
  }
  return {
    users,
    take: ({ type, data }: Recorded): void => {
      if (type === 'UserRemoved') move(data._id, users, removed)
      else if (type === 'UserRestored') move(data._id, removed, users)
      else if (type === 'UserAdded' || type === 'UserChanged') {
        const { _id, role, scope, quota } = data
        const known = removed.get(_id) ?? users.get(_id)
        const changed = {
          ...{ _id, role: role ?? known?.role ?? 'tester', scope: known?.scope, quota: known?.quota },
          ...(scope !== undefined && { scope: E.getOrElse(() => ({}))(parseScope(scope)) }),
          ...(quota !== undefined && { quota: quota ?? undefined }),
        }
        ;(removed.has(_id) ? removed : users).set(_id, changed)
      }
    },
  }
}

/** Opens views that read lists in this thread: to start another takes longer than a story. */
export const openLaggingViews = async (path: string, store: EventStore, onFatal: (error: unknown) => void) => {
  let gate: PromiseWithResolvers<void> | undefined
  const opened = await openViews({
    ...{ path, onFatal, onAlarm: () => undefined, onRecovery: () => undefined },
    store: {
      ...store,
      subscribe: async function* (after, signal) {
        for await (const batch of store.subscribe(after, signal)) {
          await gate?.promise
          yield batch
        }
      },
    },
  })
  const known = makeKnownUsers()
  opened.watch((events) => {
    for (const event of events) known.take(event)
  })
  const release = (): void => {
    gate?.resolve()
    gate = undefined
  }
  const views: Views = {
    ...opened,
    // What lags does not come in time.
    waitForStorePosition: (position, within) =>
      position <= opened.storePosition() || (gate === undefined && opened.waitForStorePosition(position, within)),
    close: () => {
      release()
      return opened.close()
    },
  }
  return {
    ...{ views, users: known.users as ReadonlyMap<string, LabUser>, release },
    /** Lets them learn nothing more until `release`. */
    hold: () => {
      gate ??= Promise.withResolvers()
    },
    isHeld: () => gate !== undefined,
  }
}

export type LaggingViews = Awaited<ReturnType<typeof openLaggingViews>>
