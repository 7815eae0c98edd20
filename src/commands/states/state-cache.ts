import { LRUCache } from 'lru-cache'
import { PageMissing } from '../../domain/calendar/page.ts'
import type { Decider, StreamState } from '../../domain/decider.ts'
import { type EventStore, NO_STREAM } from '../../event-store/event-store.ts'
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

/** Bytes of all folded states that are remembered: some six million windows, or as many retry keys. */
const CACHE_BYTES_MAX = 256 * 1024 * 1024

/** Streams folded into the states that commands are decided on, the most used ones in entries. */
export interface StateCache extends Pick<LogContinuity, 'confirm'> {
  /** As it was remembered or kept last, without a read of the stream: an append finds out when it is old. */
  readonly get: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Folded<S> | undefined
  /** Folds a stream from its snapshot, or its beginning, to its end. */
  readonly load: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds a stream from its beginning to its end: what was remembered of it has pages that are not to be had. */
  readonly reload: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds what has come since. */
  readonly catchUp: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    from: Folded<S>,
  ) => Promise<Folded<S>>
  /**
   * Calls a pure function of folded states, and again with the pages that it needs.
   *
   * @throws PagesLost where they are not to be had
   */
  readonly withPages: <A>(look: () => A) => A
  /** Takes a state whose events are known to be in the log, the last of which has the id. */
  readonly put: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    folded: Folded<S>,
    eventId: string,
  ) => void
  readonly forget: (stream: string) => void
  /** Keeps what is remembered, so that after a restart nothing has to be folded. */
  readonly saveAll: () => void
}

interface StateCacheOptions {
  readonly store: EventStore
  readonly snapshots: Snapshots
  /** Left out where nobody else writes the log. */
  readonly log?: FollowedLog
  /** Bytes. */
  readonly cacheBytesMax?: number
}

/** A state with what is to be done when it has to make room. */
interface CacheEntry {
  readonly folded: Folded<StreamState>
  readonly onEvict: () => void
}

/** The states that are remembered, up to so many bytes; those used least recently make room. */
const makeEntries = ({ snapshots, cacheBytesMax = CACHE_BYTES_MAX }: StateCacheOptions) => {
  const states = new LRUCache<string, CacheEntry>({
    maxSize: cacheBytesMax,
    dispose: ({ onEvict }, _, why) => {
      if (why === 'evict') onEvict()
    },
  })
  return {
    get: (stream: string) => states.get(stream)?.folded,
    set: <S extends StreamState, C>(decider: Decider<S, C>, stream: string, folded: Folded<S>): void => {
      const kept = keepIfDue(snapshots, decider, stream, folded)
      // Whoever has to make room is kept as it is, so that coming back costs its directory and the pages that are needed.
      const onEvict = (): void => {
        if (kept.kept !== kept.revision) keep(snapshots, decider, stream, kept)
      }
      const size = Math.min(decider.weight(folded.state), cacheBytesMax)
      states.set(stream, { folded: kept, onEvict }, { size })
    },
    delete: (stream: string): void => {
      states.delete(stream)
    },
    clear: () => states.clear(),
    saveAll: (): void => {
      for (const { onEvict } of states.values()) onEvict()
    },
  }
}

/** More pages each time: a call that needs one after the other has them all after a few. */
const makeWithPages =
  (snapshots: Snapshots): StateCache['withPages'] =>
  (look) => {
    for (let count = 1; ; count *= 2) {
      try {
        return look()
      } catch (error) {
        if (!(error instanceof PageMissing)) throw error
        readPages(snapshots, error.pages, count)
      }
    }
  }

export const makeStateCache = (options: StateCacheOptions): StateCache => {
  const { store, snapshots, log } = options
  const entries = makeEntries(options)
  const { note, confirm } = makeLogContinuity(store, log, () => {
    entries.clear()
    snapshots.dropUnwritten()
  })
  const withPages = makeWithPages(snapshots)

  const put: StateCache['put'] = (decider, stream, folded, eventId) => {
    const { revision, mark } = folded
    note({ stream, revision, mark, eventId })
    entries.set(decider, stream, folded)
  }

  const foldNewEvents: StateCache['catchUp'] = async (decider, stream, from) => {
    let folded = from
    let eventId: string | undefined
    for await (const page of store.readStream(stream, from.revision)) {
      for (const event of page) {
        const { state } = folded
        const { revision, mark, id } = event
        folded = { ...folded, state: withPages(() => decider.evolve(state, event)), revision, mark }
        eventId = id
      }
    }
    if (eventId !== undefined) put(decider, stream, folded, eventId)
    else if (folded.revision !== NO_STREAM) entries.set(decider, stream, folded)
    return folded
  }

  const reload: StateCache['reload'] = (decider, stream) => foldNewEvents(decider, stream, makeUnread(decider))

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
    saveAll: entries.saveAll,
  }
}
