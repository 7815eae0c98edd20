import { LRUCache } from 'lru-cache'
import type { Decider, StreamState } from '../../domain/decider.ts'
import type { Recorded } from '../../domain/event.ts'
import { type Batch, type EventStore, NO_STREAM } from '../../event-store/event-store.ts'
import { type FollowedLog, type LogContinuity, makeLogContinuity } from './log-continuity.ts'
import { type Folded, keep, keepIfDue, makeUnread, readSnapshot, type Snapshots } from './snapshots.ts'

/** States in memory: those of as many SUTs, with a hundred windows ahead each some 400 MB. */
export const STATES_MAX = 16_384

/** Caches the folded states that commands decide on, most recently used in memory. */
export interface StateCache extends Pick<LogContinuity, 'confirm'> {
  /** The cached or saved state, without reading the stream. An append detects a stale state. */
  readonly get: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Folded<S> | undefined
  /** Folds a stream from its snapshot, or its beginning, to its end. */
  readonly load: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds events recorded since. */
  readonly catchUp: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    from: Folded<S>,
  ) => Promise<Folded<S>>
  /** Caches a state whose events are known to be in the log, the last of them with this id. */
  readonly put: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    folded: Folded<S>,
    eventId: string,
  ) => void
  readonly forget: (stream: string) => void
  /** Folds events of the followed log into the states in memory, which would become stale where others append. */
  readonly follow: (events: Batch['events']) => void
  /** Saves all cached states, so that nothing has to be folded after a restart. */
  readonly saveAll: () => void
}

interface StateCacheOptions {
  readonly store: EventStore
  readonly snapshots: Snapshots
  /** Absent if no other process writes the log. */
  readonly log?: FollowedLog
  /** `STATES_MAX` unless given. */
  readonly statesMax?: number
}

interface CacheEntry {
  readonly folded: Folded<StreamState>
  readonly onEvict: () => void
  /** Caches the state after the stream's next event. */
  readonly advance: (event: Recorded) => void
}

const foldOne = <S extends StreamState, C>(decider: Decider<S, C>, folded: Folded<S>, event: Recorded): Folded<S> => ({
  ...folded,
  state: decider.evolve(folded.state, event),
  revision: event.revision,
  storePosition: event.storePosition,
})

const makeEntries = ({ snapshots, statesMax = STATES_MAX }: StateCacheOptions) => {
  const states = new LRUCache<string, CacheEntry>({
    max: statesMax,
    dispose: ({ onEvict }, _, why) => {
      if (why === 'evict') onEvict()
    },
  })
  const set = <S extends StreamState, C>(decider: Decider<S, C>, stream: string, folded: Folded<S>): void => {
    const current = keepIfDue(snapshots, decider, stream, folded)
    // Saved on eviction, so that loading it again folds nothing.
    const onEvict = (): void => {
      if (current.savedRevision !== current.revision) keep(snapshots, decider, stream, current)
    }
    const advance = (event: Recorded): void => set(decider, stream, foldOne(decider, current, event))
    states.set(stream, { folded: current, onEvict, advance })
  }
  return {
    get: (stream: string) => states.get(stream)?.folded,
    peek: (stream: string) => states.peek(stream),
    set,
    delete: (stream: string): void => {
      states.delete(stream)
    },
    clear: () => states.clear(),
    saveAll: (): void => {
      for (const { onEvict } of states.values()) onEvict()
    },
  }
}

type Entries = ReturnType<typeof makeEntries>

const makeFollow =
  (entries: Pick<Entries, 'peek'>, isConfirmed: () => boolean): StateCache['follow'] =>
  (events) => {
    // Of another log these would not follow what is cached. What is missed here, the next append finds out.
    if (!isConfirmed()) return
    for (const event of events) {
      const cached = entries.peek(event.stream)
      if (event.revision - 1 === cached?.folded.revision) cached.advance(event)
    }
  }

export const makeStateCache = (options: StateCacheOptions): StateCache => {
  const { store, snapshots, log } = options
  const entries = makeEntries(options)
  const { note, confirm, isConfirmed } = makeLogContinuity(store, log, () => {
    entries.clear()
    snapshots.dropUnwritten()
  })

  const put: StateCache['put'] = (decider, stream, folded, eventId) => {
    note({ stream, revision: folded.revision, storePosition: folded.storePosition, eventId })
    // The subscription may have been faster than the answer of the append.
    if ((entries.peek(stream)?.folded.revision ?? NO_STREAM) <= folded.revision) entries.set(decider, stream, folded)
  }

  const catchUp: StateCache['catchUp'] = async (decider, stream, from) => {
    let folded = from
    let eventId: string | undefined
    for await (const page of store.readStream(stream, from.revision)) {
      for (const event of page) {
        folded = foldOne(decider, folded, event)
        eventId = event.id
      }
    }
    if (eventId !== undefined) put(decider, stream, folded, eventId)
    else if (folded.revision !== NO_STREAM) entries.set(decider, stream, folded)
    return folded
  }

  return {
    confirm,
    get: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) =>
      (entries.get(stream) as Folded<S> | undefined) ?? readSnapshot(snapshots, decider, stream),
    load: (decider, stream) =>
      catchUp(decider, stream, readSnapshot(snapshots, decider, stream) ?? makeUnread(decider)),
    catchUp,
    put,
    forget: entries.delete,
    follow: makeFollow(entries, isConfirmed),
    saveAll: entries.saveAll,
  }
}
