import { type EventPlace, type EventStore, hasEventAt, StoreUnavailable } from '../../event-store/event-store.ts'

/** What is known of the log by following it. */
export interface FollowedLog {
  /** A number for the time during which the log has been followed without a break; undefined while it is not followed. */
  readonly followEpoch: () => number | undefined
  /** The last event that views have folded: no snapshot in use is newer. */
  readonly lastFolded: () => EventPlace
}

/** Whether the log still goes on from what is remembered of it. */
export interface KnownLog {
  /** Takes an event that is known to be in the log. */
  readonly note: (event: EventPlace) => void
  /**
   * A log that was cut off and has grown again has other events at the same revisions, which no append finds out.
   * Undefined while the log has been followed without a break since its last known event was found in its place. After a
   * break, a promise to wait for: one read, shared by all who wait, looks for that event again.
   */
  readonly confirm: () => Promise<void> | undefined
}

/** @param onOtherLog called when other events are in the place of those remembered, which are to be forgotten */
export const makeKnownLog = (store: EventStore, log: FollowedLog | undefined, onOtherLog: () => void): KnownLog => {
  // Nobody follows the log: nobody else writes it.
  if (log === undefined) return { note: () => undefined, confirm: () => undefined }
  const { followEpoch, lastFolded } = log
  let newest: EventPlace | undefined
  let confirmed: number | undefined
  let confirming: Promise<void> | undefined

  const check = async (): Promise<void> => {
    const before = followEpoch()
    const folded = lastFolded()
    const last = newest !== undefined && newest.mark > folded.mark ? newest : folded
    if (!(await hasEventAt(store, last))) {
      newest = undefined
      onOtherLog()
      if (last === folded || !(await hasEventAt(store, folded))) {
        throw new StoreUnavailable('the log does not go on from what was read of it')
      }
    }
    if (followEpoch() === before) confirmed = before
  }

  return {
    note: (event) => {
      if (newest === undefined || event.mark > newest.mark) newest = event
    },
    confirm: () => {
      const now = followEpoch()
      if (now !== undefined && now === confirmed) return undefined
      confirming ??= check().finally(() => {
        confirming = undefined
      })
      return confirming
    },
  }
}
