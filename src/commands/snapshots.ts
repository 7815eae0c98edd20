import type { Decider, Snapshot, StreamState } from '../domain/decider.ts'

/** Where folded states are kept, so that no stream is folded from its beginning on the path of a request. */
export interface Snapshots {
  readonly read: (stream: string) => Snapshot | undefined
  /** Takes the state now and writes it some time later; of several the last counts. */
  readonly keep: (stream: string, snapshot: () => Snapshot) => void
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

/** Events after which a state is kept again; a heavy one later, so that keeping it costs little for each event. */
const EVERY = 100

export const readSnapshot = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
): Folded<S> | undefined => {
  const snapshot = snapshots.read(stream)
  if (snapshot === undefined || snapshot.version !== decider.version) return undefined
  const { revision, mark } = snapshot
  return { state: JSON.parse(snapshot.state) as S, revision, mark, kept: revision }
}

/** Keeps a state when enough events have come since it was kept last. */
export const keepIfDue = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
  folded: Folded<S>,
): Folded<S> => {
  const { state, revision, mark, kept } = folded
  if (revision - kept < Math.max(EVERY, decider.weight(state))) return folded
  snapshots.keep(stream, () => ({ stream, version: decider.version, revision, mark, state: JSON.stringify(state) }))
  return { ...folded, kept: revision }
}
