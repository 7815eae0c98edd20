import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { LARGE_APPEND } from '../../domain/event.ts'
import { type Batch, type EventStore, StoreUnavailable } from '../../event-store/event-store.ts'
import { logContinues } from '../file/progress.ts'
import type { RowChange } from '../tables/version.ts'
import type { Pending } from './pending.ts'
import type { ProgressTracker } from './progress-tracker.ts'
import type { AlarmHooks, Writer } from './write-behind.ts'

/** Milliseconds before the nth attempt to subscribe again, with jitter so that instances do not reconnect together. */
const backoff = (failures: number): number =>
  failures <= 1 ? 0 : Math.min(25 * 2 ** failures, 1_000) * (0.5 + Math.random() / 2)

export interface FollowOptions extends AlarmHooks {
  readonly store: EventStore
  /** Called on a failure that no retry fixes, such as an event that cannot be decoded. */
  readonly onFatal: (error: unknown) => void
  /** Called when an interrupted subscription has resumed, with the cause and the length in milliseconds. */
  readonly onResumed?: (cause: unknown, milliseconds: number) => void
}

/** Called with each batch of events once it is folded, and with the documents that they changed, in order. */
export type OnFolded = (events: Batch['events'], changes: readonly RowChange[]) => void

interface FollowParts {
  readonly options: FollowOptions
  readonly tracker: ProgressTracker
  readonly pending: Pending
  readonly writer: Writer
}

/** Makes the function that folds a batch and lets its rows be written. */
const makeFold =
  ({ tracker, pending, writer }: FollowParts, listeners: Set<OnFolded>, signal: AbortSignal) =>
  async (batch: Batch): Promise<void> => {
    // A start that catches up answers nobody in between.
    const isLarge = batch.events.length >= LARGE_APPEND && tracker.isCaughtUp()
    // They may have been encoded and appended just now.
    if (isLarge) await turn()
    const changes = batch.events.flatMap((event) => pending.fold(event, tracker.advance(event)))
    tracker.notifyWaiters(batch)
    for (const listener of listeners) listener(batch.events, changes)
    if (isLarge) await turn()
    writer.tick()
    if (!writer.isFull()) return
    const room = writer.waitForRoom(signal)
    // A start that catches up reads faster than it writes, and only has to wait for its own rows.
    await (tracker.isCaughtUp() ? tracker.pauseDuring(room) : room)
  }

/**
 * Folds events until it is closed. An interrupted subscription resumes where it ended: at once if it had delivered
 * anything, otherwise with backoff and an alarm.
 */
export const follow = (parts: FollowParts) => {
  const { options, tracker } = parts
  const { store, onAlarm, onRecovery, onFatal, onResumed } = options
  const stop = new AbortController()
  const { signal } = stop
  // Shutdown does not wait for an unresponsive store.
  const stopped = Promise.withResolvers<undefined>()
  const listeners = new Set<OnFolded>()
  const foldBatch = makeFold(parts, listeners, signal)
  const log = { isAnother: false, isFollowed: false, isCurrent: false, epoch: 0 }
  let outage: { readonly cause: unknown; readonly since: number } | undefined
  let failures = 0
  let isAlarmed = false

  const alarm = (what: string, error: Error): void => {
    isAlarmed = true
    onAlarm(what, error, 'store')
  }

  const checkLog = async (): Promise<void> => {
    const wasAnother = log.isAnother
    const continues = await Promise.race([logContinues(store, tracker.current()), stopped.promise])
    log.isAnother = continues === false
    if (continues !== false) return
    const what = 'the log was truncated or restored from a backup; it does not continue what was read'
    const error = new StoreUnavailable(what)
    if (!wasAnother) alarm('the event store holds another log', error)
    throw error
  }

  const subscribe = async (): Promise<void> => {
    await checkLog()
    for await (const batch of store.subscribe(tracker.current().storePosition, signal)) {
      if (isAlarmed) onRecovery('the event store can be read again', 'store')
      isAlarmed = false
      failures = 0
      if (outage !== undefined) onResumed?.(outage.cause, Math.round(performance.now() - outage.since))
      outage = undefined
      if (!log.isFollowed) log.epoch++
      log.isFollowed = true
      await foldBatch(batch)
      log.isCurrent ||= batch.caughtUp
    }
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await subscribe()
      } catch (error) {
        if (log.isFollowed) outage = { cause: error, since: performance.now() }
        log.isFollowed = false
        log.isCurrent = false
        if (!(error instanceof StoreUnavailable)) return onFatal(error)
        if (++failures >= 2 && !isAlarmed) alarm('the event store cannot be read', error)
        await delay(backoff(failures), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  const following = run()
  return {
    log: log as Readonly<typeof log>,
    listeners,
    close: (): Promise<void> => {
      stop.abort()
      stopped.resolve(undefined)
      return following
    },
  }
}
