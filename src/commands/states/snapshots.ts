import type { Page, Rows } from '../../domain/calendar/page.ts'
import type { Decider, Snapshot, StreamState } from '../../domain/decider.ts'
import { BEGINNING, NO_STREAM } from '../../event-store/event-store.ts'

/** Where folded states are kept, so that no stream is folded from its beginning on the path of a request. */
export interface Snapshots {
  /** The last that was kept, written or not. */
  readonly read: (stream: string) => Snapshot | undefined
  /** Takes the state now and writes it when the views have come as far as its mark; of several the last counts. */
  readonly keep: (stream: string, mark: number, snapshot: () => Snapshot) => void
  /** The rows of a page that has been written; undefined where they are not to be had. */
  readonly readPage: (id: number) => Rows | undefined
  /** Drops what was taken and is not written yet: its events are not in the log any more. */
  readonly dropUnwritten: () => void
}

/** A stream folded up to a revision. */
export interface Folded<S> {
  readonly state: S
  readonly revision: number
  /** Of the last event folded. */
  readonly mark: number
  /** The revision at which it was kept last. */
  readonly kept: number
}

/** What a stream is before its first event. */
export const makeUnread = <S extends StreamState, C>(decider: Decider<S, C>): Folded<S> => ({
  state: decider.initial,
  revision: NO_STREAM,
  mark: BEGINNING,
  kept: NO_STREAM,
})

/**
 * Events after which a state is kept again: so few that those behind it are soon folded. Only pages that are new are written,
 * but the directory of all is each time, so that a state of more pages is kept later.
 */
const EVERY = 256

export const readSnapshot = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
): Folded<S> | undefined => {
  const snapshot = snapshots.read(stream)
  if (snapshot === undefined || snapshot.version !== decider.version) return undefined
  const { revision, mark } = snapshot
  return { state: decider.unpack(snapshot), revision, mark, kept: revision }
}

export const keep = <S extends StreamState, C>(
  snapshots: Pick<Snapshots, 'keep'>,
  decider: Decider<S, C>,
  stream: string,
  { state, revision, mark }: Folded<S>,
): void => {
  const { version } = decider
  snapshots.keep(stream, mark, () => ({ stream, version, revision, mark, ...decider.pack(state) }))
}

/** Keeps a state when enough events have come since it was kept last. */
export const keepIfDue = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
  folded: Folded<S>,
): Folded<S> => {
  const { state, revision, kept } = folded
  if (revision - kept < Math.max(EVERY, decider.weight(state) / BYTES_FOR_EACH)) return folded
  keep(snapshots, decider, stream, folded)
  return { ...folded, kept: revision }
}

/** Bytes of a state for each event after which it is kept again, where that is more than there must be. */
const BYTES_FOR_EACH = 4_096

/** The file does not have the rows of a page any more: the state can only be folded from its stream. */
export class PagesLost extends Error {
  override name = 'PagesLost'
}

/** Reads so many of the pages that are missing. */
export const readPages = (snapshots: Snapshots, missing: readonly Page[], count: number): void => {
  for (const page of missing.slice(0, count)) {
    if (page.rows !== undefined) continue
    page.rows = page.id === undefined ? undefined : snapshots.readPage(page.id)
    if (page.rows === undefined) throw new PagesLost('a page of a state could not be read')
  }
}
