import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { projections } from '../../../projections/index.ts'
import type { Snapshot } from '../../domain/decider.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { ExpectedError } from '../../files/expected-error.ts'
import { DiskFull, orDiskFull } from '../../files/full-disk.ts'
import { prepare, SQLITE, sqliteCode } from '../../files/sqlite.ts'
import { makeWalCheckpoints, type WalCheckpoints } from '../../files/wal-checkpoints.ts'
import { openLists } from '../lists/lists.ts'
import { makeLogTable } from '../tables/log-index.ts'
import { CHECKPOINT_PAGES, PRAGMAS, SCHEMA, SHAPE } from '../tables/schema.ts'
import { type EventRow, makeVersionTable, type Version, type VersionTable } from '../tables/version.ts'
import { logContinues, type Progress } from './progress.ts'

/** The views cannot be used: made by another version, or damaged. */
export class UnusableViews extends ExpectedError {}

const damage: readonly (number | undefined)[] = [SQLITE.corrupt, SQLITE.notADatabase]

/** Whether the file does not contain what was written. */
export const isDamage = (error: unknown): boolean => damage.includes(sqliteCode(error))

/** Whether a rebuild helps, as it does if tables are missing or have another shape (SQLITE_ERROR). */
const isRebuildable = ({ cause }: UnusableViews): boolean =>
  cause === undefined || isDamage(cause) || sqliteCode(cause) === SQLITE.error

export type StoredRow = Readonly<Record<string, SQLOutputValue>>

/** A table derived from the log. */
export interface StoredTable {
  readonly name: string
  readonly hasVersions: boolean
  /** Ordered by key. */
  readonly rows: () => Iterable<StoredRow>
}

export type ViewsFile = ReturnType<typeof open>

/** SQLite's name for an in-memory database. */
const IN_MEMORY = ':memory:'

/** How long to wait for a lock. The service, which blocks meanwhile, retries later instead. */
const BUSY_TIMEOUT_MS = { reading: 5_000, writing: 10 }

interface Opening {
  readonly readOnly?: boolean
  /** Whether another thread runs the checkpoints and waits for the disk. */
  readonly checkpointsInThread?: boolean
}

const checkShape = (db: DatabaseSync, path: string, readOnly: boolean): void => {
  const found = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'progress'").get()
  if (found?.n === 0 && !readOnly) db.exec(`BEGIN; ${SCHEMA} COMMIT`)
  const shape = found?.n === 0 && readOnly ? 'none' : db.prepare('SELECT shape FROM progress').get()?.shape
  if (shape !== undefined && shape !== SHAPE) {
    throw new UnusableViews(`${path} was not made by this version of Berth; start the service once`)
  }
}

const open = (path: string, opening: Opening) => {
  const { readOnly = false, checkpointsInThread = false } = opening
  if (readOnly && !existsSync(path)) throw new UnusableViews(`${path} does not exist; start the service once`)
  let db: DatabaseSync | undefined
  try {
    // SQLite would apply the umask. Its other files get the same mode as this one.
    if (path !== IN_MEMORY && !existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
    db = new DatabaseSync(path, { readOnly, timeout: readOnly ? BUSY_TIMEOUT_MS.reading : BUSY_TIMEOUT_MS.writing })
    if (!readOnly) db.exec(PRAGMAS)
    checkShape(db, path, readOnly)
    const checkpoints = checkpointsInThread ? makeWalCheckpoints(db, { path, pages: CHECKPOINT_PAGES }) : undefined
    return { ...fileOver(db, checkpoints), path }
  } catch (cause) {
    db?.close()
    const error = orDiskFull(cause, path)
    if (error instanceof UnusableViews || error instanceof DiskFull) throw error
    throw new UnusableViews(`${path} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

/** Removes the views, so that they are rebuilt from the log. */
const dropViews = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/**
 * Opens the views and recreates the file if its rows cannot be used.
 *
 * @throws UnusableViews when read-only and nothing is usable, or when the file cannot be created; DiskFull
 */
export const openViewsFile = (path: string, opening: Opening = {}): ViewsFile => {
  try {
    return open(path, opening)
  } catch (error) {
    if (opening.readOnly || !isRebuildable(error as UnusableViews)) throw error
    dropViews(path)
    return open(path, opening)
  }
}

/** The tables of rows: that of the log, and one of each projection. */
const makeTables = (db: DatabaseSync) => {
  const log = makeLogTable(db)
  const versions = new Map<string, VersionTable>(projections.map(({ name }) => [name, makeVersionTable(db, name)]))
  const tables = [log, ...versions.values()]
  const of = (projection: string): VersionTable => versions.get(projection) as VersionTable
  return {
    log: log.index,
    of,
    insert: (rows: readonly EventRow[]): void => {
      for (const row of rows) {
        if (row.logRow !== undefined) log.insert(row.logRow)
        else of(row.projection).insert(row.version)
      }
      for (const table of tables) table.flush()
    },
    /** Called after a failed transaction. */
    forget: (): void => {
      for (const table of tables) table.forget()
    },
  }
}

const fileOver = (db: DatabaseSync, checkpoints: WalCheckpoints | undefined) => {
  const lists = openLists(db)
  const snapshot = prepare<Snapshot>(
    db,
    'SELECT stream, version, revision, storePosition, text FROM snapshot WHERE stream = ?',
  )
  const keepSnapshot = db.prepare('INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)')
  const { log, of, insert, forget } = makeTables(db)
  const progress = prepare<Progress>(
    db,
    'SELECT logId, position, storePosition, eventId, stream, revision FROM progress',
  )
  const advance = db.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)')
  /** Writes in a transaction that stays open until a commit. A failed write also discards what waits to be inserted. */
  const writeOrRollBack = (write: () => void): void => {
    try {
      if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
      write()
    } catch (error) {
      forget()
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
  return {
    progress: () => progress.get(),
    newest: (projection: string, id: string): Version | undefined => of(projection).newest(id),
    /** The version of a document as of a revision of its stream. */
    asOf: (projection: string, id: string, revision: number, withObserved: boolean): Version | undefined =>
      of(projection).asOf(id, revision, withObserved),
    snapshot: (stream: string): Snapshot | undefined => snapshot.get(stream),
    /** Adds rows to the open transaction. A failure rolls the transaction back. */
    stage: (rows: readonly EventRow[]): void => writeOrRollBack(() => insert(rows)),
    /**
     * Commits the staged rows together with the progress. A failure rolls the transaction back.
     *
     * @param synced up to where the log was on the disk then: all of the progress, unless its fsync is deferred
     */
    commit: (snapshots: readonly Snapshot[], reached: Progress, synced: PublicPosition = reached.position): void =>
      writeOrRollBack(() => {
        for (const { stream, version, revision, storePosition, text } of snapshots)
          keepSnapshot.run(stream, version, revision, storePosition, text)
        const { logId, position, storePosition, eventId, stream, revision } = reached
        advance.run(SHAPE, logId, position, storePosition, eventId, stream, revision, synced)
        db.exec('COMMIT')
        checkpoints?.afterCommit()
      }),
    /** Whether a transaction is open. Some read errors roll it back too; all its rows must then be staged again. */
    isStaging: (): boolean => db.isTransaction,
    inProgress: () => checkpoints?.inProgress(),
    /** Must be called before `close` if another thread runs the checkpoints. */
    endCheckpoints: async (): Promise<void> => checkpoints?.close(),
    lists,
    /** Shows staged rows, as lists do. */
    log,
    /** Everything that is derived from the log alone, for comparing two files. */
    tables: (): readonly StoredTable[] =>
      ['log', 'tree', ...projections.map(({ name }) => name)].map((name) => ({
        name,
        hasVersions: name !== 'log' && name !== 'tree',
        rows: () => prepare<StoredRow>(db, `SELECT * FROM ${name}`).iterate(),
      })),
    /** Starts a read transaction: reads see one moment, whatever is written meanwhile. */
    pin: (): void => db.exec('BEGIN'),
    /** Ends the read transaction. */
    unpin: (): void => db.exec('COMMIT'),
    close: (): void => db.close(),
  }
}

export interface UsableFileOptions {
  readonly path: string
  readonly store: EventStore
  /**
   * Whether to rebuild views of another log. Not for a shared log: an operator must look into it. Those of the log that
   * it is a copy of are rebuilt in any case.
   */
  readonly mayRebuild?: boolean
  /** Called on a failure that no retry fixes, such as an event that cannot be decoded. */
  readonly onFatal: (error: unknown) => void
}

const isUsable = async (file: ViewsFile, { store, mayRebuild = true }: UsableFileOptions): Promise<boolean> => {
  try {
    const progress = file.progress()
    if (progress === undefined) return true
    return mayRebuild ? await logContinues(store, progress) : progress.logId !== store.copyOf
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** Calls `onDamage` when SQLite finds damage during use. */
const withDamageDetection = (file: ViewsFile, onDamage: (error: unknown) => void): ViewsFile => {
  const watching =
    <P extends unknown[], A>(use: (...args: P) => A) =>
    (...args: P): A => {
      try {
        return use(...args)
      } catch (error) {
        if (isDamage(error)) onDamage(error)
        throw error
      }
    }
  const watchingAll = <F extends object>(functions: F): F =>
    Object.fromEntries(
      Object.entries(functions).map(([name, use]) => [
        name,
        typeof use === 'function' ? watching(use) : watchingAll(use),
      ]),
    ) as F
  const { progress, newest, asOf, snapshot, stage, commit, lists, log } = file
  return { ...file, ...watchingAll({ progress, newest, asOf, snapshot, stage, commit, lists, log }) }
}

interface UsableFile {
  readonly file: ViewsFile
  /** Must be called with SQLite errors of this file that occur elsewhere. */
  readonly onError: (error: unknown) => void
}

/**
 * Opens the views, and rebuilds them if the log does not continue them. Damage found later removes the file and ends
 * the service, so that the next start rebuilds it.
 */
export const openOrRebuildViews = async (options: UsableFileOptions): Promise<UsableFile> => {
  const { path, onFatal } = options
  const onDamage = (error: unknown): void => {
    dropViews(path)
    onFatal(new Error(`${path} is damaged; the next start rebuilds it from the log`, { cause: error }))
  }
  const onError = (error: unknown): void => {
    if (isDamage(error)) onDamage(error)
  }
  const opening = { checkpointsInThread: true }
  const file = openViewsFile(path, opening)
  if (await isUsable(file, options)) return { file: withDamageDetection(file, onDamage), onError }
  file.close()
  dropViews(path)
  return { file: withDamageDetection(openViewsFile(path, opening), onDamage), onError }
}
