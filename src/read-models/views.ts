import { projections } from '../../projections/index.ts'
import { type RetryKey, retryKeyIds } from '../../projections/retry-key.ts'
import type { Snapshot } from '../domain/decider.ts'
import type { Logged } from '../domain/event.ts'
import type { PublicPosition, StorePosition } from '../domain/values/position.ts'
import type { EventPosition } from '../event-store/event-store.ts'
import { beforeTheFirst } from './file/progress.ts'
import { openOrRebuildViews, type UsableFileOptions, type ViewsFile } from './file/views-file.ts'
import { makeFromLog } from './from-log.ts'
import { makeListRead, openListReader, type ReadList } from './list-reader.ts'
import type { Lists } from './lists/lists.ts'
import type { ListRows } from './lists/page.ts'
import { type FollowOptions, follow, type OnFolded } from './projector/follow.ts'
import { makePending } from './projector/pending.ts'
import { makeProgressTracker } from './projector/progress-tracker.ts'
import { makeWriter, type Writer } from './projector/write-behind.ts'
import type { LogIndex } from './tables/log-index.ts'

interface ViewsOptions extends UsableFileOptions, FollowOptions {}

export type Views = Awaited<ReturnType<typeof openViews>>

/** Ignores errors of reads that only save work: without a snapshot, a stream is folded from its beginning. */
const orUndefined = <A>(read: () => A | undefined): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const makeReads = (file: ViewsFile, writer: Writer, reader: ReturnType<typeof openListReader>) => {
  /** Whether a full disk takes no more rows. Those written before are read then. */
  const isFull = (): boolean => writer.isDiskFull() && !file.isStaging()
  /**
   * Reads a list that shows everything folded so far, in another thread unless the log is short; undefined while rows
   * cannot be written.
   */
  const read: ReadList = (name, ...args) => (writer.commitRows() ? reader.read(name, ...args) : undefined)
  return {
    read,
    /** The same, but on a full disk of what was written before. */
    readWritten: ((name, ...args) =>
      read(name, ...args) ?? (isFull() ? reader.read(name, ...args) : undefined)) as ReadList,
    /** Reads a short list of everything folded so far, in this thread; undefined while rows cannot be written. */
    readNow: <Name extends keyof Lists>(name: Name, ...args: Parameters<Lists[Name]>) =>
      writer.settle() ? reader.readNow(name, args) : undefined,
    /** Reads rows of a page that was read. They are in the file. */
    readRows: async (...of: Parameters<Lists['rows']>): Promise<ListRows> => (await reader.read('rows', ...of)).listed,
    /** The index of everything folded so far, on a full disk of what was written; undefined while rows cannot be written. */
    log: (): LogIndex | undefined => (writer.settle() || isFull() ? file.log : undefined),
  }
}

/**
 * Events of a short log: no list of it takes long, and a small lab needs no second thread, which costs a tenth of a second
 * and 20 MB.
 */
const SHORT_LOG = 1_000

/** Folds the log into documents in order, and reads from them. */
export const openViews = async (options: ViewsOptions) => {
  const { store, path } = options
  const { file, onError } = await openOrRebuildViews(options)
  const tracker = makeProgressTracker(file.progress() ?? beforeTheFirst(store.logId), store)
  const { current: progress, synced } = tracker
  const pending = makePending(projections, file)
  const writer = makeWriter({ file, pending, alarms: options, progress, synced })
  const position = (): PublicPosition => progress().position
  const here = { isLogShort: () => position() < SHORT_LOG, read: makeListRead(file) }
  const reader = openListReader(path, onError, here)
  const reads = makeReads(file, writer, reader)
  const { log, listeners, close: endFollowing } = follow({ options, tracker, pending, writer })
  const { keep, find, dropAll } = writer.snapshots

  return {
    /** The public position of the last event folded, -1 before the first. */
    position,
    /** The store position of that event. */
    storePosition: (): StorePosition => progress().storePosition,
    lastFolded: (): EventPosition => progress(),
    /** Whether everything that was in the store at opening has been folded. */
    caughtUp: tracker.isCaughtUp,
    /** Whether the log no longer continues what was folded. Nothing may be answered or decided then. */
    isOfAnotherLog: (): boolean => log.isAnother,
    /**
     * Identifies an unbroken period of following the log. Undefined while the log is not followed, and cached states may
     * be stale.
     */
    followEpoch: (): number | undefined => (log.isFollowed ? log.epoch : undefined),
    /** Whether the log is followed, and has been to its end since it was last interrupted. */
    isCurrent: (): boolean => log.isCurrent,
    /** Rows that are not in the file yet. */
    pendingRows: pending.count,
    newest: pending.newest,
    /** What was recorded with a retry key within a day or so. @param now Unix milliseconds */
    retryKey: (key: string, now: number): RetryKey | undefined => {
      const versions = retryKeyIds(key, now).map((id) => pending.newest('retry_key', id))
      const known = versions.find((version) => version !== undefined)
      return known && (JSON.parse(known.internal) as RetryKey)
    },
    asOf: pending.asOf,
    waitForStorePosition: tracker.waitForStorePosition,
    waitForPublicPosition: tracker.waitForPublicPosition,
    waitUntilDurable: tracker.waitUntilDurable,
    /** Folds a document from its stream alone: slow, but works when the views cannot keep up. */
    fromLog: makeFromLog(store),
    /** Calls a listener with each batch of events once it is folded. Returns a function that ends this. */
    watch: (listener: OnFolded): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ...reads,
    /** Reads the event at a position; undefined if it is not found. @throws StoreUnavailable */
    eventAt: async (position: PublicPosition): Promise<Logged | undefined> => {
      const storePosition = reads.log()?.storePositionAt(position)
      return storePosition === undefined ? undefined : store.at(storePosition)
    },
    readSnapshot: (stream: string): Snapshot | undefined => orUndefined(() => find(stream) ?? file.snapshot(stream)),
    /** Keeps a snapshot, to be written with the rows up to its store position. */
    keepSnapshot: keep,
    dropUnwrittenSnapshots: dropAll,
    close: async (): Promise<void> => {
      await endFollowing()
      await reader.close()
      await writer.close()
    },
  }
}
