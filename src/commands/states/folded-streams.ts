import { LRUCache } from 'lru-cache'
import { PageMissing } from '../../domain/calendar/page.ts'
import type { Decider, StreamState } from '../../domain/decider.ts'
import { type EventStore, NO_STREAM } from '../../event-store/event-store.ts'
import { type FollowedLog, type KnownLog, makeKnownLog } from './known-log.ts'
import {
  type Folded,
  keep,
  keepIfDue,
  PagesLost,
  readPages,
  readSnapshot,
  type Snapshots,
  unread,
} from './snapshots.ts'

/** Bytes of all folded states that are remembered: some six million windows, or as many retry keys. */
const REMEMBERED_MAX = 256 * 1024 * 1024

/** Streams folded into the states that commands are decided on, the most used ones in memory. */
export interface FoldedStreams extends Pick<KnownLog, 'confirm'> {
  /** As it was remembered or kept last, without a read of the stream: an append finds out when it is old. */
  readonly remembered: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Folded<S> | undefined
  /** Folds a stream from its snapshot, or its beginning, to its end. */
  readonly load: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds a stream from its beginning to its end: what was remembered of it has pages that are not to be had. */
  readonly loadAnew: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) => Promise<Folded<S>>
  /** Folds what has come since. */
  readonly readOn: <S extends StreamState, C>(
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
  readonly remember: <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    folded: Folded<S>,
    eventId: string,
  ) => void
  readonly forget: (stream: string) => void
  /** Keeps what is remembered, so that after a restart nothing has to be folded. */
  readonly keepAll: () => void
}

interface FoldedStreamsOptions {
  readonly store: EventStore
  readonly snapshots: Snapshots
  /** Left out where nobody else writes the log. */
  readonly log?: FollowedLog
  /** Bytes. */
  readonly rememberedMax?: number
}

/** A state with what is to be done when it has to make room. */
interface Remembered {
  readonly folded: Folded<StreamState>
  readonly makeRoom: () => void
}

/** The states that are remembered, up to so many bytes; those used least recently make room. */
const makeMemory = ({ snapshots, rememberedMax = REMEMBERED_MAX }: FoldedStreamsOptions) => {
  const states = new LRUCache<string, Remembered>({
    maxSize: rememberedMax,
    dispose: ({ makeRoom }, _, why) => {
      if (why === 'evict') makeRoom()
    },
  })
  return {
    get: (stream: string) => states.get(stream)?.folded,
    set: <S extends StreamState, C>(decider: Decider<S, C>, stream: string, folded: Folded<S>): void => {
      const kept = keepIfDue(snapshots, decider, stream, folded)
      // Whoever has to make room is kept as it is, so that coming back costs its directory and the pages that are needed.
      const makeRoom = (): void => {
        if (kept.kept !== kept.revision) keep(snapshots, decider, stream, kept)
      }
      const size = Math.min(decider.weight(folded.state), rememberedMax)
      states.set(stream, { folded: kept, makeRoom }, { size })
    },
    delete: (stream: string): void => {
      states.delete(stream)
    },
    clear: () => states.clear(),
    keepAll: (): void => {
      for (const { makeRoom } of states.values()) makeRoom()
    },
  }
}

/** More pages each time: a call that needs one after the other has them all after a few. */
const makeWithPages =
  (snapshots: Snapshots): FoldedStreams['withPages'] =>
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

export const makeFoldedStreams = (options: FoldedStreamsOptions): FoldedStreams => {
  const { store, snapshots, log } = options
  const memory = makeMemory(options)
  const { note, confirm } = makeKnownLog(store, log, () => {
    memory.clear()
    snapshots.dropUnwritten()
  })
  const withPages = makeWithPages(snapshots)

  const remember: FoldedStreams['remember'] = (decider, stream, folded, eventId) => {
    const { revision, mark } = folded
    note({ stream, revision, mark, eventId })
    memory.set(decider, stream, folded)
  }

  const foldOn: FoldedStreams['readOn'] = async (decider, stream, from) => {
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
    if (eventId !== undefined) remember(decider, stream, folded, eventId)
    else if (folded.revision !== NO_STREAM) memory.set(decider, stream, folded)
    return folded
  }

  const loadAnew: FoldedStreams['loadAnew'] = (decider, stream) => foldOn(decider, stream, unread(decider))

  const readOn: FoldedStreams['readOn'] = async (decider, stream, from) => {
    try {
      return await foldOn(decider, stream, from)
    } catch (error) {
      if (!(error instanceof PagesLost)) throw error
      return loadAnew(decider, stream)
    }
  }

  return {
    confirm,
    remembered: <S extends StreamState, C>(decider: Decider<S, C>, stream: string) =>
      (memory.get(stream) as Folded<S> | undefined) ?? readSnapshot(snapshots, decider, stream),
    load: (decider, stream) => readOn(decider, stream, readSnapshot(snapshots, decider, stream) ?? unread(decider)),
    loadAnew,
    readOn,
    withPages,
    remember,
    forget: memory.delete,
    keepAll: memory.keepAll,
  }
}
