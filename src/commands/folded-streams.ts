import { LRUCache } from 'lru-cache'
import type { Decider, StreamState } from '../domain/decider.ts'
import { BEGINNING, type EventStore, NO_STREAM } from '../event-store/event-store.ts'
import { type Folded, keepIfDue, readSnapshot, type Snapshots } from './snapshots.ts'

/** The weight of all folded states that are remembered: about 100 MB of windows. */
const REMEMBERED_MAX = 400_000

/** Streams folded into the states that commands are decided on, the most used ones in memory. */
export interface FoldedStreams {
  readonly remembered: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Folded<S> | undefined
  /** Folds a stream from its snapshot, or its beginning, to its end. */
  readonly load: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds what has come since. */
  readonly readOn: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    from: Folded<S>,
  ) => Promise<Folded<S>>
  /** Takes a state whose events are known to be in the log. */
  readonly remember: <S extends StreamState, C>(decider: Decider<S, C>, stream: string, folded: Folded<S>) => void
  readonly forget: (stream: string) => void
}

const unread = <S extends StreamState, C>(decider: Decider<S, C>): Folded<S> => ({
  state: decider.initial,
  revision: NO_STREAM,
  mark: BEGINNING,
  kept: NO_STREAM,
})

/** @param following the stretch in which the log has been known to go on, as views have it: memory counts only within one */
export const makeFoldedStreams = (
  store: EventStore,
  snapshots: Snapshots,
  following: () => number | undefined,
): FoldedStreams => {
  const states = new LRUCache<string, Folded<StreamState>>({ maxSize: REMEMBERED_MAX })
  let stretch = following()

  /** A log that was cut off and has grown again has other events at the same revisions, which no append would find out. */
  const isKnownToGoOn = (): boolean => {
    const now = following()
    if (now !== stretch) states.clear()
    stretch = now
    return now !== undefined
  }

  const remember: FoldedStreams['remember'] = (decider, stream, folded) => {
    states.set(stream, keepIfDue(snapshots, decider, stream, folded), { size: decider.weight(folded.state) })
  }

  const readOn: FoldedStreams['readOn'] = async (decider, stream, from) => {
    let folded = from
    for await (const page of store.readStream(stream, from.revision)) {
      const { revision, mark } = page.at(-1) ?? folded
      folded = { ...folded, state: page.reduce(decider.evolve, folded.state), revision, mark }
    }
    if (folded.revision !== NO_STREAM) remember(decider, stream, folded)
    return folded
  }

  return {
    remembered: <S extends StreamState, C>(_: Decider<S, C>, stream: string) =>
      isKnownToGoOn() ? (states.get(stream) as Folded<S> | undefined) : undefined,
    load: (decider, stream) => {
      const kept = isKnownToGoOn() ? readSnapshot(snapshots, decider, stream) : undefined
      return readOn(decider, stream, kept ?? unread(decider))
    },
    readOn,
    remember,
    forget: (stream) => {
      states.delete(stream)
    },
  }
}
