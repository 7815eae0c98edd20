import { LRUCache } from 'lru-cache'
import type { Decider, StreamState } from '../../domain/decider.ts'
import { listenPortDecider } from '../../domain/listen-port/decide.ts'
import { sutDecider } from '../../domain/sut/decide.ts'
import { LISTEN_PORTS_STREAM } from '../../domain/values/ids.ts'
import { type Batch, NO_STREAM } from '../../event-store/event-store.ts'
import { type Folded, keep, makeUnread, type Snapshots } from './snapshots.ts'

/** Bytes of states: those that were used least recently are let go of, and folded when a command comes. */
const STATES_MAX = 256 * 1024 * 1024

/** Folds the states of all streams while the log goes by. */
export interface CatchUpStates {
  /** Takes events in the order of the log. */
  readonly fold: (events: Batch['events']) => void
  /** Hands over so many of the states at most, those that were used last, and forgets all. */
  readonly handOver: (snapshots: Pick<Snapshots, 'keep'>, most: number) => void
}

type AnyDecider = Decider<StreamState, never>

const deciderOf = (stream: string): AnyDecider =>
  (stream === LISTEN_PORTS_STREAM ? listenPortDecider : sutDecider) as unknown as AnyDecider

/**
 * For views that are catching up, of streams that begin meanwhile: of all, where the views are made anew, since their
 * snapshots went with them. Or the first command on each SUT would fold its stream, over the network where that is where
 * the log is.
 *
 * @param statesMax bytes
 */
export const makeCatchUpStates = (statesMax = STATES_MAX): CatchUpStates => {
  const states = new LRUCache<string, Folded<StreamState>>({ maxSize: statesMax })
  return {
    fold: (events) => {
      for (const [stream, own] of Map.groupBy(events, ({ stream }) => stream)) {
        const decider = deciderOf(stream)
        let folded = states.get(stream) ?? makeUnread(decider)
        for (const event of own) {
          const { revision, mark } = event
          if (revision !== folded.revision + 1) continue
          folded = { ...folded, state: decider.evolve(folded.state, event), revision, mark }
        }
        if (folded.revision === NO_STREAM) continue
        states.set(stream, folded, { size: Math.min(decider.weight(folded.state), statesMax) })
      }
    },
    handOver: (snapshots, most) => {
      // The least used of them first: where there is no room for all, those that came last remain.
      const used = [...states.entries().take(most)].reverse()
      for (const [stream, folded] of used) keep(snapshots, deciderOf(stream), stream, folded)
      states.clear()
    },
  }
}
