import { existsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import type { RandomHex } from '../../domain/values/ids.ts'
import { acquireLock, type Lock } from '../../files/lock.ts'
import { prepare } from '../../files/sqlite.ts'
import { makeWalCheckpoints } from '../../files/wal-checkpoints.ts'
import { type EventStore, UnusableLog } from '../event-store.ts'
import { makeSqliteAppend, makeWrite } from './append.ts'
import { makeBatches } from './batch.ts'
import { makeHeads } from './heads.ts'
import { fileOf, openDatabase } from './open.ts'
import { makePositionLookup, makeReader, readDurably, withReadErrors } from './read.ts'
import { makeSecretStore, makeSecretWriter } from './secrets.ts'
import { hasUncopiedPages, makeSync, openWal, syncWal } from './sync.ts'
import { makeTail } from './tail.ts'
import { makeTransactions } from './transaction.ts'
import { closeClaim, isGivenUp, keepWal } from './writer-claim.ts'

export interface SqliteLimits {
  /** Maximum size of the file in pages of 4 KiB; by default limited by the disk only. */
  readonly pagesMax?: number
  /** Milliseconds to block the process while waiting for another writer. */
  readonly busyTimeout?: number
  /** Appends per transaction. */
  readonly batchMax?: number
  /** Queued appends; further ones are `unavailable`. */
  readonly queueMax?: number
  /** Milliseconds an erasure of secrets waits for other processes that read the log. */
  readonly eraseTimeout?: number
  /** Events kept in memory for subscribers that have caught up. */
  readonly tail?: number
}

export interface SqliteOptions {
  readonly path: string
  /** For tools used while a service runs: no lock, no appends; sees new events within 200 ms. */
  readonly readOnly?: boolean
  /** Defers fsync. The caller must wait for `synced` before sending out anything read from the log. */
  readonly isSyncDeferred?: boolean
  readonly randomHex: RandomHex
  /**
   * Called once if the disk failed or another process changed the file. The outcome of the last appends is unknown, and
   * the store rejects all further ones. The process should exit.
   */
  readonly onFatal: (error: Error) => void
  readonly limits?: SqliteLimits
  /** Called for each commit: number of appends, duration in milliseconds. */
  readonly onCommit?: (appends: number, milliseconds: number) => void
}

/** Pages of 4 KiB between WAL checkpoints. Appends wait for one: some 10 ms for this many pages and 35 ms for 4,000. */
const CHECKPOINT_PAGES = 1_000
/** Events kept for subscribers: more than the largest append, so that none of it is read and decoded again. */
const TAIL = 512
/** For a file that another process writes. */
const POLL_INTERVAL_MS = 200

/**
 * The embedded store: one SQLite file, in process. Store positions are public positions.
 *
 * @throws LockTaken if another process writes this log, UnusableLog if the file cannot be used as one
 */
export const openSqliteStore = (options: SqliteOptions): EventStore => {
  const { path, readOnly = false, isSyncDeferred = false, randomHex, limits = {} } = options
  const file = fileOf(path)
  if (readOnly && !existsSync(file)) throw new UnusableLog(`${file} does not exist`)
  const lock = readOnly ? undefined : acquireLock(`${file}.lock`)
  try {
    if (!readOnly) refuseHardLinks(file)
    const { busyTimeout = 1000, pagesMax } = limits
    const hasLostEvents = !readOnly && isGivenUp(file)
    const database = openDatabase(file, { readOnly, randomHex, busyTimeout, pagesMax, isSyncDeferred })
    return { ...makeStore(database, file, lock, options), hasLostEvents }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/** The lock and the WAL go by file name: a log written under two names would lose events. */
const refuseHardLinks = (file: string): void => {
  const { nlink = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  if (nlink > 1)
    throw new UnusableLog(
      `${file} cannot be used as a log: it has ${nlink} hard links; stop what uses the others and remove them`,
    )
}

const openDeferredSync = (database: DatabaseSync, file: string, fail: (error: Error) => void) => {
  const isLeftOver = hasUncopiedPages(database)
  const checkpoints = makeWalCheckpoints(database, { path: file, pages: CHECKPOINT_PAGES, onFailure: fail })
  if (isLeftOver) checkpoints.afterFull()
  const wal = openWal(file)
  const sync = makeSync(wal.sync, fail)
  return {
    sync,
    checkpoints,
    end: async () => {
      // A failure has already been reported.
      await sync.pending()?.catch(() => undefined)
      await checkpoints.close()
    },
    close: wal.close,
  }
}

const makeStore = (
  database: DatabaseSync,
  file: string,
  lock: Lock | undefined,
  { onFatal, onCommit, isSyncDeferred = false, limits = {} }: SqliteOptions,
): EventStore => {
  const { batchMax = 1000, queueMax = 10_000, tail: keep = TAIL, eraseTimeout = 5_000 } = limits
  const lookup = makePositionLookup(database)
  const heads = makeHeads(database, lock !== undefined)
  const tail = makeTail(keep, lock === undefined ? POLL_INTERVAL_MS : undefined)
  let end = lookup.last()
  let closed: Promise<void> | undefined
  let hasFailed = false
  /** Reports a disk failure once, though both a commit and a sync may detect it. */
  const fail = (error: Error): void => {
    if (hasFailed) return
    hasFailed = true
    onFatal(error)
  }
  const disk = isSyncDeferred ? openDeferredSync(database, file, fail) : undefined
  const { sync, checkpoints } = disk ?? {}

  const transactions = makeTransactions(database, () => lookup.last() === end, fail, checkpoints?.afterFull)
  const writer = makeSecretWriter(database)
  const batches = makeBatches({
    transactions,
    write: makeWrite(database, lookup, heads, writer.put),
    heads,
    last: () => end,
    onCommitted: (events) => {
      end = events.at(-1)?.storePosition ?? end
      tail.publish(events)
      checkpoints?.afterCommit()
    },
    onCommit,
    blocked: checkpoints?.inProgress,
    sync: sync?.begin,
    batchMax,
    queueMax,
  })
  const takesWrites = (): boolean => lock !== undefined && closed === undefined && !hasFailed
  const durably = (last?: typeof lookup.last) =>
    lock !== undefined ? withReadErrors : readDurably(() => syncWal(file), last)
  const close = (): Promise<void> => {
    closed ??= (async () => {
      await batches.idle()
      await disk?.end()
      tail.end()
      if (lock !== undefined) heads.writeAll(end, lookup.last)
      const isClosed = lock === undefined || closeClaim(database)
      database.close()
      if (!isClosed) keepWal(file)
      disk?.close()
      lock?.release()
    })()
    return closed
  }

  return {
    ...makeReader(database, lookup, heads, tail, durably(lookup.last)),
    ...(sync !== undefined && { synced: sync.pending }),
    // For readers of a log from which the row has been removed: `verify` finds that.
    logId: prepare<{ value: string }>(database, "SELECT value FROM meta WHERE name = 'log_id'").get()?.value ?? '',
    append: (stream, expected, events, secrets = []) =>
      takesWrites()
        ? batches.enqueue(() => makeSqliteAppend(stream, expected, events, secrets))
        : Promise.resolve(E.left('unavailable')),
    ...makeSecretStore({
      ...{ database, writer, transactions, takesWrites, sync, checkpoints, eraseTimeout, runRead: durably() },
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
