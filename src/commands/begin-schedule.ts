import * as E from 'fp-ts/lib/Either.js'
import type { Actor } from '../domain/decider.ts'
import { makeEventId, type RandomHex, SCHEDULE_STREAM } from '../domain/values/ids.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../domain/values/instant.ts'
import { type EventStore, NO_STREAM, StoreUnavailable } from '../event-store/event-store.ts'
import { makeNewEvents } from './command-envelope.ts'

/** The actor of recorded starts and ends. */
export const SCHEDULE: Actor = { _id: 'schedule', role: 'system' }

interface BeginScheduleOptions {
  readonly store: Pick<EventStore, 'readStream' | 'append'>
  /** Unix milliseconds. */
  readonly now: number
  readonly randomHex: RandomHex
}

const readBeginning = async (store: Pick<EventStore, 'readStream'>): Promise<number | undefined> => {
  for await (const [event] of store.readStream(SCHEDULE_STREAM, NO_STREAM)) {
    if (event?.type === 'ScheduleBegan') return epochMillisecondsOf(event.data.from)
  }
  return undefined
}

/**
 * Records once that starts and ends are recorded from now on. Returns since when, in Unix milliseconds.
 *
 * @throws StoreUnavailable
 */
export const beginSchedule = async ({ store, now, randomHex }: BeginScheduleOptions): Promise<number> => {
  for (;;) {
    const begun = await readBeginning(store)
    if (begun !== undefined) return begun
    const event = { type: 'ScheduleBegan', data: { from: formatMilliseconds(now) } } as const
    const envelope = { command: undefined, actor: SCHEDULE, requestId: makeEventId(now, randomHex(10)) }
    const appended = await store.append(SCHEDULE_STREAM, NO_STREAM, makeNewEvents([event], envelope, now, randomHex))
    if (E.isRight(appended)) return now
    if (appended.left !== 'moved') throw new StoreUnavailable(`ScheduleBegan cannot be recorded: ${appended.left}`)
  }
}
