import * as E from 'fp-ts/lib/Either.js'
import type { Actor } from '../domain/decider.ts'
import { type RandomHex, SCHEDULE_STREAM } from '../domain/values/ids.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../domain/values/instant.ts'
import { type EventStore, NO_STREAM, StoreUnavailable } from '../event-store/event-store.ts'
import type { ClockGuard } from './clock-guard.ts'
import { appendOwn } from './command-envelope.ts'

/** The actor of recorded starts and ends. */
export const SCHEDULE: Actor = { _id: 'schedule', role: 'system' }

export interface BeginScheduleOptions {
  readonly store: Pick<EventStore, 'readStream' | 'append'>
  readonly guard: Pick<ClockGuard, 'isAhead'>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
}

const readBeginning = async (store: Pick<EventStore, 'readStream'>): Promise<number | undefined> => {
  for await (const [event] of store.readStream(SCHEDULE_STREAM, NO_STREAM)) {
    if (event?.type === 'ScheduleBegan') return epochMillisecondsOf(event.data.from)
  }
  return undefined
}

/**
 * Records once that starts and ends are recorded from now on. Takes and returns since when, in Unix milliseconds.
 *
 * @throws StoreUnavailable
 */
export const beginSchedule = async (
  options: Pick<BeginScheduleOptions, 'store' | 'randomHex'>,
  now: number,
): Promise<number> => {
  for (;;) {
    const begun = await readBeginning(options.store)
    if (begun !== undefined) return begun
    const event = { type: 'ScheduleBegan', data: { from: formatMilliseconds(now) } } as const
    const place = { stream: SCHEDULE_STREAM, revision: NO_STREAM, now }
    const appended = await appendOwn(options, SCHEDULE, place, [event])
    if (E.isRight(appended)) return now
    if (appended.left !== 'moved') throw new StoreUnavailable(`ScheduleBegan cannot be recorded: ${appended.left}`)
  }
}

/** As beginSchedule, at the time of the clock. Undefined if that cannot be recorded yet. */
export const tryToBeginSchedule = async (options: BeginScheduleOptions): Promise<number | undefined> => {
  const now = options.clock()
  // A clock that is ahead would begin the schedule years from now.
  if (options.guard.isAhead(now)) return undefined
  try {
    return await beginSchedule(options, now)
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}
