/** The folded states of streams: those used last in memory, the others as snapshots. */

import { LRUCache } from 'lru-cache'
import type { Decider, Snapshot, StreamState } from '../domain/decider.ts'
import type { Recorded } from '../domain/event.ts'
import type { StorePosition } from '../domain/values/position.ts'
import {
  type Batch,
  BEGINNING,
  type EventPosition,
  type EventStore,
  hasEventAt,
  NO_STREAM,
  StoreUnavailable,
} from '../event-store/event-store.ts'

/** States in memory: those of as many SUTs, with a hundred windows ahead each some 400 MB. */
const STATES_MAX = 16_384
/** Values in a snapshot: some 20,000 windows, which are 4 MB. Writing more holds the main thread too long. */
const VALUES_MAX = 256 * 1024
/** Events between snapshots at least, so that few remain to fold. */
const EVENTS_MIN = 256
/** A stream that is so many times longer is saved less often, since its whole state is written each time. */
const STREAM_SHARE = 16

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

/** The subscription that follows the log. */
export interface FollowedLog {
  /** Number of the current unbroken subscription; undefined while the log is not followed. */
  readonly followEpoch: () => number | undefined
  /** Calls a listener with each batch of events once it is folded. */
  readonly watch: (listener: (events: Batch['events']) => void) => void
  /** The last event folded into views. No snapshot in use is newer. */
  readonly lastFolded: () => EventPosition
}

const makeUnread = <S extends StreamState, C>(decider: Decider<S, C>): Folded<S> => ({
  state: decider.initial,
  revision: NO_STREAM,
  storePosition: BEGINNING,
  savedRevision: NO_STREAM,
})

const foldOne = <S extends StreamState, C>(decider: Decider<S, C>, folded: Folded<S>, event: Recorded): Folded<S> => ({
  ...folded,
  state: decider.evolve(folded.state, event),
  revision: event.revision,
  storePosition: event.storePosition,
})

const readSnapshot = <S extends StreamState, C>(
  snapshots: Snapshots,
  decider: Decider<S, C>,
  stream: string,
): Folded<S> | undefined => {
  const snapshot = snapshots.read(stream)
  if (snapshot === undefined || snapshot.version !== decider.version) return undefined
  const { revision, storePosition } = snapshot
  return { state: JSON.parse(snapshot.text) as S, revision, storePosition, savedRevision: revision }
}

/** A state with more values is folded from its stream again, in pages. */
const hasTooManyValues = (state: unknown): boolean => {
  let left = VALUES_MAX
  const count = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false
    const values = Object.values(value)
    left -= values.length
    return left < 0 || values.some(count)
  }
  return count(state)
}

/** A stream in memory, whatever the shape of its state. */
interface Cached {
  readonly decider: Decider<StreamState, unknown>
  readonly folded: Folded<StreamState>
}

const cachedOf = <S extends StreamState, C>(decider: Decider<S, C>, folded: Folded<S>): Cached =>
  ({ decider, folded }) as unknown as Cached

const save = (snapshots: Pick<Snapshots, 'keep'>, stream: string, { decider, folded }: Cached): void => {
  const { state, revision, storePosition, savedRevision } = folded
  if (savedRevision === revision) return
  snapshots.keep(stream, storePosition, () =>
    hasTooManyValues(state)
      ? undefined
      : { stream, version: decider.version, revision, storePosition, text: JSON.stringify(state) },
  )
}

const isDue = ({ revision, savedRevision }: Folded<StreamState>): boolean =>
  revision - savedRevision >= Math.max(EVENTS_MIN, revision / STREAM_SHARE)

const refuseAnotherLog = async (store: EventStore, folded: EventPosition): Promise<void> => {
  if (!(await hasEventAt(store, folded)))
    throw new StoreUnavailable('the log does not continue from the events read earlier')
}

interface StatesOptions {
  readonly store: EventStore
  readonly snapshots: Snapshots
  /** Absent if no other process writes the log. */
  readonly log?: FollowedLog
  /** `STATES_MAX` unless given. */
  readonly statesMax?: number
}

export type States = ReturnType<typeof makeStates>

/** States in memory, the most recently used of them. What is due, or evicted, is saved. */
const makeMemory = (snapshots: Snapshots, statesMax: number) => {
  const states = new LRUCache<string, Cached>({
    max: statesMax,
    dispose: (cached, stream, why) => {
      if (why === 'evict') save(snapshots, stream, cached)
    },
  })
  const set = (stream: string, cached: Cached): void => {
    if (!isDue(cached.folded)) return void states.set(stream, cached)
    save(snapshots, stream, cached)
    states.set(stream, { ...cached, folded: { ...cached.folded, savedRevision: cached.folded.revision } })
  }
  return { states, set }
}

/** The folded states that commands decide on. */
export const makeStates = ({ store, snapshots, log, statesMax = STATES_MAX }: StatesOptions) => {
  const { states, set } = makeMemory(snapshots, statesMax)
  /** The subscription during which the states in memory were folded. */
  let epoch: number | undefined

  /**
   * Forgets what was folded before an interruption: the log may have been truncated then, and have other events at the
   * same revisions, which no append detects. Views look whether the log continues as they subscribe again. Until then
   * nothing is kept in memory, and each command looks itself. Undefined if there is nothing to wait for.
   */
  const confirm = (): Promise<void> | undefined => {
    // Without a subscription, this process is the only writer.
    if (log === undefined) return undefined
    const current = log.followEpoch()
    if (current !== undefined && current === epoch) return undefined
    epoch = current
    states.clear()
    snapshots.dropUnwritten()
    return current === undefined ? refuseAnotherLog(store, log.lastFolded()) : undefined
  }

  const put = <S extends StreamState, C>(decider: Decider<S, C>, stream: string, folded: Folded<S>): void => {
    // The subscription may have been faster than the answer of the append.
    if ((states.peek(stream)?.folded.revision ?? NO_STREAM) <= folded.revision) set(stream, cachedOf(decider, folded))
  }

  /** Folds events recorded since. */
  const catchUp = async <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    from: Folded<S>,
  ): Promise<Folded<S>> => {
    let folded = from
    for await (const page of store.readStream(stream, from.revision))
      for (const event of page) folded = foldOne(decider, folded, event)
    if (folded.revision !== NO_STREAM) put(decider, stream, folded)
    return folded
  }

  const get = <S extends StreamState, C>(decider: Decider<S, C>, stream: string): Folded<S> | undefined =>
    (states.get(stream)?.folded as Folded<S> | undefined) ?? readSnapshot(snapshots, decider, stream)

  return {
    confirm,
    /** Keeps a state whose events are known to be in the log. */
    put,
    /** The state in memory or saved, without reading the stream. An append detects a stale state. */
    get,
    /** The state at the end of a stream. */
    readOn: async <S extends StreamState, C>(decider: Decider<S, C>, stream: string): Promise<Folded<S>> => {
      await confirm()
      return catchUp(decider, stream, get(decider, stream) ?? makeUnread(decider))
    },
    forget: (stream: string): void => void states.delete(stream),
    /** Folds events of the followed log into the states in memory, which would become stale where others append. */
    follow: (events: Batch['events']): void => {
      // Of another log these would not follow what is in memory. What is missed here, the next append finds out.
      if (log?.followEpoch() !== epoch) return
      for (const event of events) {
        const cached = states.peek(event.stream)
        if (cached === undefined || event.revision - 1 !== cached.folded.revision) continue
        set(event.stream, { ...cached, folded: foldOne(cached.decider, cached.folded, event) })
      }
    },
    /** Saves all states in memory, so that nothing has to be folded after a restart. */
    saveAll: (): void => {
      for (const [stream, cached] of states.entries()) save(snapshots, stream, cached)
    },
  }
}
