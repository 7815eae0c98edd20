import type { Snapshot } from '../domain/decider.ts'
import type { PublicPosition, StorePosition } from '../domain/values/position.ts'
import type { EventPosition } from '../event-store/event-store.ts'
import { beforeTheFirst } from './file/progress.ts'
import { openOrRebuildViews, type UsableFileOptions } from './file/usable-file.ts'
import type { ViewsFile } from './file/views-file.ts'
import { makeFromLog } from './from-log.ts'
import { makeListRead, openListReader, type ReadList } from './list-reader.ts'
import type { CsvQuery, CsvRows } from './lists/csv.ts'
import { type FollowOptions, follow, type OnFolded } from './projector/follow.ts'
import { makePending, type Pending } from './projector/pending.ts'
import { makeProgressTracker, type ProgressTracker } from './projector/progress-tracker.ts'
import { makeWriter, type Writer } from './projector/write-behind.ts'
import type { LogIndex } from './tables/log-index.ts'

export interface ViewsOptions extends UsableFileOptions, FollowOptions {}

/** The index of the log up to a position. */
interface StoredLog {
  readonly log: LogIndex
  readonly position: PublicPosition
}

export interface Views
  extends Pick<Pending, 'newest' | 'asOf'>,
    Pick<ProgressTracker, 'waitForStorePosition' | 'waitForPublicPosition'> {
  /** The public position of the last event folded, -1 before the first. */
  readonly position: () => PublicPosition
  /** The store position of that event. */
  readonly storePosition: () => StorePosition
  /** Whether everything that was in the store at opening has been folded. */
  readonly caughtUp: () => boolean
  /** Whether the log no longer continues what was folded. Nothing may be answered or decided then. */
  readonly isOfAnotherLog: () => boolean
  /**
   * Identifies an unbroken period of following the log. Undefined while the log is not followed, and cached states may
   * be stale.
   */
  readonly followEpoch: () => number | undefined
  /** Whether the log is followed, and has been to its end since it was last interrupted. */
  readonly isCurrent: () => boolean
  readonly lastFolded: () => EventPosition
  /** Rows that are not in the file yet. */
  readonly pendingRows: () => number
  /** Folds a document from its stream alone: slow, but works when the views cannot keep up. */
  readonly fromLog: ReturnType<typeof makeFromLog>
  /** Calls a listener with each batch of events once it is folded. Returns a function that ends this. */
  readonly watch: (listener: OnFolded) => () => void
  /**
   * Reads a list that shows everything folded so far, in another thread unless the log is short; undefined while rows
   * cannot be written.
   */
  readonly read: ReadList
  /** What lists show while a full disk takes no more rows: those written before. Undefined at other times. */
  readonly stored: () => StoredLog | undefined
  /** Reads such a list. */
  readonly readStored: ReadList
  /** Reads rows that a list has shown. They are in the file. */
  readonly readCsvRows: (query: CsvQuery) => Promise<CsvRows>
  /** The index of everything folded so far; undefined while rows cannot be written. */
  readonly log: () => LogIndex | undefined
  readonly readSnapshot: (stream: string) => Snapshot | undefined
  /** Keeps a snapshot, to be written with the rows up to its store position. */
  readonly keepSnapshot: Writer['snapshots']['keep']
  /** Drops snapshots that are not written yet. */
  readonly dropUnwrittenSnapshots: () => void
  /** Writes what is pending and closes. */
  readonly close: () => Promise<void>
}

/** Ignores errors of reads that only save work: without a snapshot, a stream is folded from its beginning. */
const orUndefined = <A>(read: () => A | undefined): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const makeStored =
  (file: ViewsFile, writer: Writer): Views['stored'] =>
  () => {
    if (!writer.isDiskFull() || file.isStaging()) return undefined
    const progress = file.progress()
    return progress && { log: file.log, position: progress.position }
  }

/**
 * Events of a short log: no list of it takes long, and a small lab needs no second thread, which costs a tenth of a second
 * and 20 MB.
 */
const SHORT_LOG = 1_000

/** Folds the log into documents in order, and reads from them. */
export const openViews = async (options: ViewsOptions): Promise<Views> => {
  const { store, projections } = options
  const { file, onError } = await openOrRebuildViews(options)
  const tracker = makeProgressTracker(file.progress() ?? beforeTheFirst(store.logId), store)
  const { current: progress, synced } = tracker
  const pending = makePending(projections, file)
  const writer = makeWriter({ file, pending, alarms: options, progress, synced })
  const position = (): PublicPosition => progress().position
  const short = { isShort: () => position() < SHORT_LOG, read: makeListRead(file) }
  const reader = openListReader(options, onError, short)
  const { log, listeners, close: endFollowing } = follow({ options, tracker, pending, writer })
  const stored = makeStored(file, writer)
  const { keep, find, dropAll } = writer.snapshots
  return {
    position,
    storePosition: () => progress().storePosition,
    caughtUp: tracker.isCaughtUp,
    isOfAnotherLog: () => log.isAnother,
    lastFolded: progress,
    followEpoch: () => (log.isFollowed ? log.epoch : undefined),
    isCurrent: () => log.isCurrent,
    pendingRows: pending.count,
    newest: pending.newest,
    asOf: pending.asOf,
    waitForStorePosition: tracker.waitForStorePosition,
    waitForPublicPosition: tracker.waitForPublicPosition,
    fromLog: makeFromLog(store, projections),
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stored,
    readStored: (name, ...args) => (stored() === undefined ? undefined : reader.read(name, ...args)),
    readCsvRows: async (query) => (await reader.read('csvRows', query)).listed,
    read: (name, ...args) => (writer.commitRows() ? reader.read(name, ...args) : undefined),
    log: () => (writer.settle() ? file.log : undefined),
    readSnapshot: (stream) => orUndefined(() => find(stream) ?? file.snapshot(stream)),
    keepSnapshot: keep,
    dropUnwrittenSnapshots: dropAll,
    close: async () => {
      await endFollowing()
      await reader.close()
      await writer.close()
    },
  }
}
