import { LRUCache } from 'lru-cache'
import { PageMissing } from '../../domain/calendar/page.ts'
import type { Decider, StreamState } from '../../domain/decider.ts'
import type { Recorded } from '../../domain/event.ts'
import { type Batch, type EventStore, NO_STREAM } from '../../event-store/event-store.ts'
import { type FollowedLog, type LogContinuity, makeLogContinuity } from './log-continuity.ts'
import {
  type Folded,
  keep,
  keepIfDue,
  makeUnread,
  PagesLost,
  readPages,
  readSnapshot,
  type Snapshots,
} from './snapshots.ts'

/** Bytes of all cached states: some six million windows, or as many idempotency records. */
const CACHE_BYTES_MAX = 256 * 1024 * 1024

/** Caches the folded states that commands decide on, most recently used in memory. */
export interface StateCache extends Pick<LogContinuity, 'confirm'> {
  /** The cached or saved state, without reading the stream. An append detects a stale state. */
  readonly get: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Folded<S> | undefined
  /** Folds a stream from its snapshot, or its beginning, to its end. */
  readonly load: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds a stream from its beginning, because pages of its snapshot are lost. */
  readonly reload: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds events recorded since. */
  readonly catchUp: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    from: Folded<S>,
  ) => Promise<Folded<S>>
  /**
   * Calls a pure function of states, retrying with the pages it needs.
   *
   * @throws PagesLost if they are no longer available
   */
  readonly withPages: <A>(read: () => A) => A
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
  /** Bytes. */
  readonly cacheBytesMax?: number
}

interface CacheEntry {
  readonly folded: Folded<StreamState>
  readonly onEvict: () => void
  /** Caches the state after the stream's next event. */
  readonly advance: (event: Recorded) => void
}

/** Loads twice as many pages on each miss, so that a scan needs few retries. */
const makeWithPages =
  (snapshots: Snapshots): StateCache['withPages'] =>
  (read) => {
    for (let count = 1; ; count *= 2) {
      try {
        return read()
      } catch (error) {
        if (!(error instanceof PageMissing)) throw error
        readPages(snapshots, error.pages, count)
      }
    }
  }

const foldOne = <S extends StreamState, C>(decider: Decider<S, C>, folded: Folded<S>, event: Recorded): Folded<S> => ({
  ...folded,
  state: decider.evolve(folded.state, event),
  revision: event.revision,
  storePosition: event.storePosition,
})

/** An LRU cache bounded by bytes. */
const makeEntries = (
  { snapshots, cacheBytesMax = CACHE_BYTES_MAX }: StateCacheOptions,
  withPages: StateCache['withPages'],
) => {
  const states = new LRUCache<string, CacheEntry>({
    maxSize: cacheBytesMax,
    dispose: ({ onEvict }, _, why) => {
      if (why === 'evict') onEvict()
    },
  })
  const set = <S extends StreamState, C>(decider: Decider<S, C>, stream: string, folded: Folded<S>): void => {
    const current = keepIfDue(snapshots, decider, stream, folded)
    // Save on eviction, so that loading it again costs only its directory and the pages needed.
    const onEvict = (): void => {
      if (current.savedRevision !== current.revision) keep(snapshots, decider, stream, current)
    }
    const advance = (event: Recorded): void =>
      set(
        decider,
        stream,
        withPages(() => foldOne(decider, current, event)),
      )
    const size = Math.min(decider.weight(folded.state), cacheBytesMax)
    states.set(stream, { folded: current, onEvict, advance }, { size })
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
  (entries: Pick<Entries, 'peek' | 'delete'>, isConfirmed: () => boolean): StateCache['follow'] =>
  (events) => {
    // Of another log these would not follow what is cached. What is missed here, the next append finds out.
    if (!isConfirmed()) return
    for (const event of events) {
      const cached = entries.peek(event.stream)
      if (event.revision - 1 !== cached?.folded.revision) continue
      try {
        cached.advance(event)
      } catch (error) {
        if (!(error instanceof PagesLost)) throw error
        entries.delete(event.stream)
      }
    }
  }

export const makeStateCache = (options: StateCacheOptions): StateCache => {
  const { store, snapshots, log } = options
  const withPages = makeWithPages(snapshots)
  const entries = makeEntries(options, withPages)
  const { note, confirm, isConfirmed } = makeLogContinuity(store, log, () => {
    entries.clear()
    snapshots.dropUnwritten()
  })

  const put: StateCache['put'] = (decider, stream, folded, eventId) => {
    note({ stream, revision: folded.revision, storePosition: folded.storePosition, eventId })
    // The subscription may have been faster than the answer of the append.
    if ((entries.peek(stream)?.folded.revision ?? NO_STREAM) <= folded.revision) entries.set(decider, stream, folded)
  }

  const foldNewEvents: StateCache['catchUp'] = async (decider, stream, from) => {
    let folded = from
    let eventId: string | undefined
    for await (const page of store.readStream(stream, from.revision)) {
      for (const event of page) {
        const before = folded
        folded = withPages(() => foldOne(decider, before, event))
        eventId = event.id
      }
    }
    if (eventId !== undefined) put(decider, stream, folded, eventId)
    else if (folded.revision !== NO_STREAM) entries.set(decider, stream, folded)
    return folded
  }

  const reload: StateCache['reload'] = (decider, stream) => {
    entries.delete(stream)
    return foldNewEvents(decider, stream, makeUnread(decider))
  }

  const catchUp: StateCache['catchUp'] = async (decider, stream, from) => {
    try {
      return await foldNewEvents(decider, stream, from)
    } catch (error) {
      if (!(error instanceof PagesLost)) throw error
      return reload(decider, stream)
    }
  }

  return {
    confirm,
    get: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) =>
      (entries.get(stream) as Folded<S> | undefined) ?? readSnapshot(snapshots, decider, stream),
    load: (decider, stream) =>
      catchUp(decider, stream, readSnapshot(snapshots, decider, stream) ?? makeUnread(decider)),
    reload,
    catchUp,
    withPages,
    put,
    forget: entries.delete,
    follow: makeFollow(entries, isConfirmed),
    saveAll: entries.saveAll,
  }
}
