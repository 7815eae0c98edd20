import type { Page, Rows } from '../../domain/calendar/page.ts'
import type { Decider, Snapshot, StreamState } from '../../domain/decider.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import { BEGINNING, NO_STREAM } from '../../event-store/event-store.ts'

/** Storage for folded states, so that no request folds a stream from its beginning. */
export interface Snapshots {
  /** The last snapshot saved, even if not on disk yet. */
  readonly read: (stream: string) => Snapshot | undefined
  /** Takes a state and writes it once the views have reached its store position. The last one per stream wins. */
  readonly keep: (stream: string, storePosition: StorePosition, snapshot: () => Snapshot) => void
  /** The rows of a written page; undefined if they are no longer available. */
  readonly readPage: (id: number) => Rows | undefined
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

/**
 * Events between snapshots, so that few remain to fold. Only new pages are written, but the directory of all pages is
 * written each time. States with more pages are therefore saved less often.
 */
const EVERY = 256

export const readSnapshot = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
): Folded<S> | undefined => {
  const snapshot = snapshots.read(stream)
  if (snapshot === undefined || snapshot.version !== decider.version) return undefined
  const { revision, storePosition } = snapshot
  return { state: decider.unpack(snapshot), revision, storePosition, savedRevision: revision }
}

export const keep = <S extends StreamState, C>(
  snapshots: Pick<Snapshots, 'keep'>,
  decider: Decider<S, C>,
  stream: string,
  { state, revision, storePosition }: Folded<S>,
): void => {
  const { version } = decider
  snapshots.keep(stream, storePosition, () => ({ stream, version, revision, storePosition, ...decider.pack(state) }))
}

/** Saves a state if enough events have been folded since the last snapshot. */
export const keepIfDue = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
  folded: Folded<S>,
): Folded<S> => {
  const { state, revision, savedRevision } = folded
  if (revision - savedRevision < Math.max(EVERY, decider.weight(state) / BYTES_FOR_EACH)) return folded
  keep(snapshots, decider, stream, folded)
  return { ...folded, savedRevision: revision }
}

/** State bytes per event between snapshots, for large states. */
const BYTES_FOR_EACH = 4_096

/** The rows of a page are no longer in the file. The state must be folded from its stream. */
export class PagesLost extends Error {
  override name = 'PagesLost'
}

/** Loads `count` of the missing pages. */
export const readPages = (snapshots: Snapshots, missing: readonly Page[], count: number): void => {
  for (const page of missing.slice(0, count)) {
    if (page.rows !== undefined) continue
    page.rows = page.id === undefined ? undefined : snapshots.readPage(page.id)
    if (page.rows === undefined) throw new PagesLost('a page of a state could not be read')
  }
}
