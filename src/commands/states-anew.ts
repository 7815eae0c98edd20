import { LRUCache } from 'lru-cache'
import type { Decider, StreamState } from '../domain/decider.ts'
import { LISTEN_PORTS_STREAM } from '../domain/ids.ts'
import { listenPortDecider } from '../domain/listen-port/decide.ts'
import { sutDecider } from '../domain/sut/decide.ts'
import type { Batch } from '../event-store/event-store.ts'
import { type Folded, keep, type Snapshots, unread } from './snapshots.ts'

/** Bytes of states: those that were used least recently are let go of, and folded when a command comes. */
const STATES_MAX = 256 * 1024 * 1024

/** Folds the states of all streams while the log goes by. */
export interface StatesAnew {
  /** Takes events in the order of the log. */
  readonly fold: (events: Batch['events']) => void
  /** Hands over what was folded, and forgets it. */
  readonly keepAll: (snapshots: Pick<Snapshots, 'keep'>) => void
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
export const makeStatesAnew = (statesMax = STATES_MAX): StatesAnew => {
  const states = new LRUCache<string, Folded<StreamState>>({ maxSize: statesMax })
  return {
    fold: (events) => {
      for (const event of events) {
        const { stream, revision, mark } = event
        const decider = deciderOf(stream)
        const before = states.get(stream) ?? unread(decider)
        if (revision !== before.revision + 1) continue
        const state = decider.evolve(before.state, event)
        const size = Math.min(decider.weight(state), statesMax)
        states.set(stream, { state, revision, mark, kept: before.kept }, { size })
      }
    },
    keepAll: (snapshots) => {
      // The most used ones last, so that they are what remains where there is room for fewer.
      for (const [stream, folded] of [...states.entries()].reverse()) keep(snapshots, deciderOf(stream), stream, folded)
      states.clear()
    },
  }
}
