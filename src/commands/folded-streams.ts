import { LRUCache } from 'lru-cache'
import type { Decider, StreamState } from '../domain/decider.ts'
import { BEGINNING, type EventStore, NO_STREAM } from '../event-store/event-store.ts'
import { type FollowedLog, type KnownLog, makeKnownLog } from './known-log.ts'
import { type Folded, keepIfDue, readSnapshot, type Snapshots } from './snapshots.ts'

/** The weight of all folded states that are remembered: about 100 MB of windows. */
const REMEMBERED_MAX = 400_000

/** Streams folded into the states that commands are decided on, the most used ones in memory. */
export interface FoldedStreams extends Pick<KnownLog, 'confirm'> {
  readonly remembered: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Folded<S> | undefined
  /** Folds a stream from its snapshot, or its beginning, to its end. */
  readonly load: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds what has come since. */
  readonly readOn: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    from: Folded<S>,
  ) => Promise<Folded<S>>
  /** Takes a state whose events are known to be in the log, the last of which has the id. */
  readonly remember: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    folded: Folded<S>,
    eventId: string,
  ) => void
  readonly forget: (stream: string) => void
}

const unread = <S extends StreamState, C>(decider: Decider<S, C>): Folded<S> => ({
  state: decider.initial,
  revision: NO_STREAM,
  mark: BEGINNING,
  kept: NO_STREAM,
})

/** @param log left out where nobody else writes the log */
export const makeFoldedStreams = (store: EventStore, snapshots: Snapshots, log?: FollowedLog): FoldedStreams => {
  const states = new LRUCache<string, Folded<StreamState>>({ maxSize: REMEMBERED_MAX })
  const { note, confirm } = makeKnownLog(store, log, () => {
    states.clear()
    snapshots.dropUnwritten()
  })

  const remember: FoldedStreams['remember'] = (decider, stream, folded, eventId) => {
    const { revision, mark } = folded
    note({ stream, revision, mark, eventId })
    states.set(stream, keepIfDue(snapshots, decider, stream, folded), { size: decider.weight(folded.state) })
  }

  const readOn: FoldedStreams['readOn'] = async (decider, stream, from) => {
    let folded = from
    let eventId: string | undefined
    for await (const page of store.readStream(stream, from.revision)) {
      const { revision, mark, id } = page.at(-1) ?? { ...folded, id: eventId }
      folded = { ...folded, state: page.reduce(decider.evolve, folded.state), revision, mark }
      eventId = id
    }
    if (eventId !== undefined) remember(decider, stream, folded, eventId)
    return folded
  }

  return {
    confirm,
    remembered: <S extends StreamState, C>(_: Decider<S, C>, stream: string) =>
      states.get(stream) as Folded<S> | undefined,
    load: (decider, stream) => readOn(decider, stream, readSnapshot(snapshots, decider, stream) ?? unread(decider)),
    readOn,
    remember,
    forget: (stream) => {
      states.delete(stream)
    },
  }
}
