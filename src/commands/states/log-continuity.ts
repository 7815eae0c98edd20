import {
  type Batch,
  type EventPosition,
  type EventStore,
  hasEventAt,
  StoreUnavailable,
} from '../../event-store/event-store.ts'

/** The state of the subscription that follows the log. */
export interface FollowedLog {
  /** Number of the current unbroken subscription; undefined while the log is not followed. */
  readonly followEpoch: () => number | undefined
  /** Calls a listener with each batch of events once it is folded. */
  readonly watch: (listener: (events: Batch['events']) => void) => void
  /** The last event folded into views. No snapshot in use is newer. */
  readonly lastFolded: () => EventPosition
}

/** Detects a log that no longer continues from the cached states. */
export interface LogContinuity {
  /** Notes an event known to be in the log. */
  readonly note: (event: EventPosition) => void
  /**
   * A log that was truncated and has grown again has other events at the same revisions, which no append detects.
   * Returns undefined while the subscription is unbroken since the last known event was found in place. After a break,
   * returns a promise: one or two reads, shared by all callers, check the newest events again.
   */
  readonly confirm: () => Promise<void> | undefined
  /** Whether nothing is left to confirm: events of the subscription continue the cached states. */
  readonly isConfirmed: () => boolean
}

/** @param onOtherLog called if other events are in place of the cached ones, which must be dropped */
export const makeLogContinuity = (
  store: EventStore,
  log: FollowedLog | undefined,
  onOtherLog: () => void,
): LogContinuity => {
  // Without a subscription, this process is the only writer.
  if (log === undefined) return { note: () => undefined, confirm: () => undefined, isConfirmed: () => true }
  const { followEpoch, lastFolded } = log
  let newest: EventPosition | undefined
  let confirmed: number | undefined
  let confirming: Promise<void> | undefined

  const check = async (): Promise<void> => {
    const before = followEpoch()
    const folded = lastFolded()
    const noted = newest
    const isNotedLost = noted !== undefined && !(await hasEventAt(store, noted))
    if (isNotedLost) {
      if (newest === noted) newest = undefined
      onOtherLog()
    }
    // The events before one that is in place are in place, too.
    const isFoldedCovered = noted !== undefined && !isNotedLost && noted.storePosition >= folded.storePosition
    if (!isFoldedCovered && !(await hasEventAt(store, folded))) {
      onOtherLog()
      throw new StoreUnavailable('the log does not continue from the events read earlier')
    }
    if (followEpoch() === before) confirmed = before
  }

  const isConfirmed = (): boolean => confirmed !== undefined && followEpoch() === confirmed

  return {
    isConfirmed,
    note: (event) => {
      if (newest === undefined || event.storePosition > newest.storePosition) newest = event
    },
    confirm: () => {
      if (isConfirmed()) return undefined
      confirming ??= check().finally(() => {
        confirming = undefined
      })
      return confirming
    },
  }
}
