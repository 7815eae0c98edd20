import * as E from 'fp-ts/lib/Either.js'
import type { EventStore } from '../event-store/event-store.ts'
import type { Alarms } from '../telemetry/alarms.ts'

/** A store that raises an alarm when it has no room for a write, until one succeeds again. */
export const withFullAlarm = (store: EventStore, alarms: Pick<Alarms, 'raise' | 'clear' | 'isRaised'>): EventStore => ({
  ...store,
  append: async (...args) => {
    const appended = await store.append(...args)
    if (E.isRight(appended)) alarms.clear('full', 'the event store has room again')
    else if (appended.left === 'full' && !alarms.isRaised('full')) {
      alarms.raise('full', 'the event store is full; writes are refused until there is room')
    }
    return appended
  },
})
