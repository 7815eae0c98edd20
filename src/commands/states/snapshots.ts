import type { Decider, Snapshot, StreamState } from '../../domain/decider.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import { BEGINNING, NO_STREAM } from '../../event-store/event-store.ts'

/** Storage for folded states, so that no request folds a stream from its beginning. */
export interface Snapshots {
  /** The last snapshot saved, even if not on disk yet. */
  readonly read: (stream: string) => Snapshot | undefined
  /**
   * Takes a state and writes it once the views have reached its store position. The last one per stream wins. Without a
   * snapshot the one before stays.
   */
  readonly keep: (stream: string, storePosition: StorePosition, snapshot: () => Snapshot | undefined) => void
  /** Drops snapshots not written yet: their events are no longer in the log. */
  readonly dropUnwritten: () => void
}

/** A stream folded up to a revision. */
export interface Folded<S> {
  readonly state: S
  readonly revision: number
  /** Store position of the last event folded. */
  readonly storePosition: StorePosition
  /** Revision of the last snapshot. */
  readonly savedRevision: number
}

/** The state of a stream before its first event. */
export const makeUnread = <S extends StreamState, C>(decider: Decider<S, C>): Folded<S> => ({
  state: decider.initial,
  revision: NO_STREAM,
  storePosition: BEGINNING,
  savedRevision: NO_STREAM,
})

export const readSnapshot = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
): Folded<S> | undefined => {
  const snapshot = snapshots.read(stream)
  if (snapshot === undefined || snapshot.version !== decider.version) return undefined
  const { revision, storePosition } = snapshot
  return { state: JSON.parse(snapshot.text) as S, revision, storePosition, savedRevision: revision }
}

/** Values in a saved state: some 20,000 windows, which are 4 MB. Writing more holds the main thread too long. */
const VALUES_MAX = 256 * 1024

/** A state with more is folded from its stream again, in pages. */
const hasTooMany = (state: unknown): boolean => {
  let left = VALUES_MAX
  const count = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false
    const values = Object.values(value)
    left -= values.length
    return left < 0 || values.some(count)
  }
  return count(state)
}

export const keep = <S extends StreamState, C>(
  snapshots: Pick<Snapshots, 'keep'>,
  { version }: Decider<S, C>,
  stream: string,
  { state, revision, storePosition }: Folded<S>,
): void =>
  snapshots.keep(stream, storePosition, () =>
    hasTooMany(state) ? undefined : { stream, version, revision, storePosition, text: JSON.stringify(state) },
  )

/** Events between snapshots at least, so that few remain to fold. */
const EVENTS_MIN = 256
/** A stream that is so many times longer is saved less often, since its whole state is written each time. */
const STREAM_SHARE = 16

/** Saves a state if enough events have been folded since the last snapshot. */
export const keepIfDue = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
  folded: Folded<S>,
): Folded<S> => {
  const { revision, savedRevision } = folded
  if (revision - savedRevision < Math.max(EVENTS_MIN, revision / STREAM_SHARE)) return folded
  keep(snapshots, decider, stream, folded)
  return { ...folded, savedRevision: revision }
}
