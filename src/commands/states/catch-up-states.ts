import { LRUCache } from 'lru-cache'
import type { Decider, StreamState } from '../../domain/decider.ts'
import { listenPortDecider } from '../../domain/listen-port/decide.ts'
import { sutDecider } from '../../domain/sut/decide.ts'
import { userDecider } from '../../domain/user/decide.ts'
import { LISTEN_PORTS_STREAM, sutStream, USERS_STREAM } from '../../domain/values/ids.ts'
import { type Batch, NO_STREAM } from '../../event-store/event-store.ts'
import { type Folded, keep, makeUnread, type Snapshots } from './snapshots.ts'

/** Bytes of states. The least recently used are dropped and folded again when a command needs them. */
const STATES_MAX = 256 * 1024 * 1024

/** Folds the states of all streams as the log is read. */
export interface CatchUpStates {
  /** Takes events in log order. */
  readonly fold: (events: Batch['events']) => void
  /** Saves the `most` most recently used states as snapshots and clears the cache. */
  readonly handOver: (snapshots: Pick<Snapshots, 'keep'>, most: number) => void
}

type AnyDecider = Decider<StreamState, never>

/** The decider of a stream; undefined if no command is decided on its state. */
const deciderOf = (stream: string): AnyDecider | undefined => {
  if (stream === LISTEN_PORTS_STREAM) return listenPortDecider as unknown as AnyDecider
  if (stream === USERS_STREAM) return userDecider as unknown as AnyDecider
  return stream.startsWith(sutStream('')) ? (sutDecider as unknown as AnyDecider) : undefined
}

/**
 * Builds snapshots while views catch up, for streams that begin meanwhile. In a rebuild that is all streams, since the
 * snapshots were deleted with the views. Otherwise the first command on each SUT would fold its whole stream, over the
 * network if the store is remote.
 *
 * @param statesMax bytes
 */
export const makeCatchUpStates = (statesMax = STATES_MAX): CatchUpStates => {
  const states = new LRUCache<string, Folded<StreamState>>({ maxSize: statesMax })
  return {
    fold: (events) => {
      for (const [stream, own] of Map.groupBy(events, ({ stream }) => stream)) {
        const decider = deciderOf(stream)
        if (decider === undefined) continue
        let folded = states.get(stream) ?? makeUnread(decider)
        for (const event of own) {
          const { revision, storePosition } = event
          if (revision !== folded.revision + 1) continue
          folded = { ...folded, state: decider.evolve(folded.state, event), revision, storePosition }
        }
        if (folded.revision === NO_STREAM) continue
        states.set(stream, folded, { size: Math.min(decider.weight(folded.state), statesMax) })
      }
    },
    handOver: (snapshots, most) => {
      // Least recently used first: if there is no room for all, the last ones saved remain.
      const used = [...states.entries().take(most)].reverse()
      for (const [stream, folded] of used) keep(snapshots, deciderOf(stream) as AnyDecider, stream, folded)
      states.clear()
    },
  }
}
