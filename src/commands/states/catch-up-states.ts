import { LRUCache } from 'lru-cache'
import type { Decider, StreamState } from '../../domain/decider.ts'
import { listenPortDecider } from '../../domain/listen-port/decide.ts'
import { sutDecider } from '../../domain/sut/decide.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { LISTEN_PORTS_STREAM, sutStream, USERS_STREAM } from '../../domain/values/ids.ts'
import { type Batch, NO_STREAM } from '../../event-store/event-store.ts'
import { keep, makeUnread, type Snapshots } from './snapshots.ts'
import { STATES_MAX } from './state-cache.ts'

/** The state of one stream, whatever its shape. */
interface Folding {
  /** Takes the next events of the stream. Those that do not follow are left out. */
  readonly fold: (events: Batch['events']) => void
  readonly isUnread: () => boolean
  readonly keep: (snapshots: Pick<Snapshots, 'keep'>) => void
}

const begin = <S extends StreamState, C>(decider: Decider<S, C>, stream: string): Folding => {
  let folded = makeUnread(decider)
  return {
    fold: (events) => {
      for (const event of events) {
        const { revision, storePosition } = event
        if (revision !== folded.revision + 1) continue
        folded = { ...folded, state: decider.evolve(folded.state, event), revision, storePosition }
      }
    },
    isUnread: () => folded.revision === NO_STREAM,
    keep: (snapshots) => keep(snapshots, decider, stream, folded),
  }
}

/** Undefined if no command is decided on the state of a stream. */
const beginStream = (stream: string): Folding | undefined => {
  if (stream === LISTEN_PORTS_STREAM) return begin(listenPortDecider, stream)
  if (stream === USERS_STREAM) return begin(userDecider, stream)
  return stream.startsWith(sutStream('')) ? begin(sutDecider, stream) : undefined
}

/**
 * Builds snapshots while views catch up, for streams that begin meanwhile. In a rebuild that is all streams, since the
 * snapshots were deleted with the views. Otherwise the first command on each SUT would fold its whole stream, over the
 * network if the store is remote.
 *
 * @param statesMax the least recently used above that are dropped, and folded again when a command needs them
 */
export const makeCatchUpStates = (statesMax = STATES_MAX) => {
  const states = new LRUCache<string, Folding>({ max: statesMax })
  return {
    /** Takes events in log order. */
    fold: (events: Batch['events']): void => {
      for (const [stream, own] of Map.groupBy(events, ({ stream }) => stream)) {
        const state = states.get(stream) ?? beginStream(stream)
        state?.fold(own)
        if (state === undefined || state.isUnread()) continue
        states.set(stream, state)
      }
    },
    /** Saves the `most` most recently used states as snapshots and clears the cache. */
    saveTo: (snapshots: Pick<Snapshots, 'keep'>, most: number): void => {
      // Least recently used first: if there is no room for all, the last ones saved remain.
      const used = [...states.entries().take(most)].reverse()
      for (const [, state] of used) state.keep(snapshots)
      states.clear()
    },
  }
}
