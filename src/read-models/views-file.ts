import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Ended, Projection } from '../../projections/projection.ts'
import type { Snapshot } from '../domain/decider.ts'

/** One state of a document: what it was from `position` on, until its next. */
export interface Version {
  /** The public position of the event that made it. */
  readonly position: number
  /** That event's revision in its stream. */
  readonly revision: number
  readonly id: string
  /** The document as JSON text: it is answered as it stands here. */
  readonly document: string
  readonly ended: Ended | null
}

/** How far the rows in the file have come, and in which log. */
export interface Progress {
  readonly logId: string
  readonly position: number
  readonly mark: number
  /** The id of the event there: a log that has another one is not the log these rows were made from. */
  readonly eventId: string
}

/** The shape of this file; documents have their projections' versions beside it. */
const FILE_VERSION = 1

const shapeOf = (projections: readonly Projection[]): string =>
  [`file ${FILE_VERSION}`, ...projections.map(({ name, version }) => `${name} ${version}`)].join(', ')

// Rows are keyed by position, which only grows: scattered keys would dirty a page each. An id begins with its second
// and so grows too.
const tables = (projections: readonly Projection[]): string => `
  CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    shape TEXT NOT NULL, logId TEXT NOT NULL, position INTEGER NOT NULL, mark INTEGER NOT NULL, eventId TEXT NOT NULL
  ) STRICT;
  CREATE TABLE snapshot (
    stream TEXT PRIMARY KEY, version INTEGER NOT NULL, revision INTEGER NOT NULL, mark INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${projections
    .map(
      ({ name }) => `
  CREATE TABLE ${name} (
    position INTEGER PRIMARY KEY, revision INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, ended TEXT
  ) STRICT;
  CREATE INDEX ${name}_by_id ON ${name} (id, position);`,
    )
    .join('')}`

interface Statements {
  readonly insert: StatementSync
  readonly newest: StatementSync
  readonly asOf: StatementSync
}

const statementsOf = (db: DatabaseSync, name: string): Statements => {
  const columns = 'position, revision, id, document, ended'
  return {
    insert: db.prepare(`INSERT INTO ${name} (${columns}) VALUES (?, ?, ?, ?, ?)`),
    newest: db.prepare(`SELECT ${columns} FROM ${name} WHERE id = ? ORDER BY position DESC LIMIT 1`),
    asOf: db.prepare(`SELECT ${columns} FROM ${name} WHERE id = ? AND revision <= ? ORDER BY position DESC LIMIT 1`),
  }
}

export interface ViewsFile {
  readonly progress: () => Progress | undefined
  readonly newest: (projection: string, id: string) => Version | undefined
  /** The version of a document that stood at a revision of its stream. */
  readonly asOf: (projection: string, id: string, revision: number) => Version | undefined
  readonly snapshot: (stream: string) => Snapshot | undefined
  /** Writes rows and how far they go, all or nothing. */
  readonly write: (
    rows: ReadonlyMap<string, readonly Version[]>,
    snapshots: readonly Snapshot[],
    progress: Progress,
  ) => void
  /** The rows of a table up to a position, in their order, to compare two files. */
  readonly rows: (projection: string, upTo: number) => Iterable<Version>
  readonly close: () => void
}

/** The rows of a file that cannot be used: made by another version, for other projections, or damaged. */
export class UnusableViews extends Error {
  override name = 'UnusableViews'
}

/** Milliseconds to wait for whoever else has the file; the service, which stands still meanwhile, tries again later. */
const BUSY_WITHIN = { reading: 5_000, writing: 100 }

const checkShape = (db: DatabaseSync, path: string, projections: readonly Projection[], readOnly: boolean): void => {
  const found = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'progress'").get()
  if (found?.n === 0 && !readOnly) db.exec(`BEGIN; ${tables(projections)} COMMIT`)
  const shape = found?.n === 0 && readOnly ? 'none' : db.prepare('SELECT shape FROM progress').get()?.shape
  if (shape !== undefined && shape !== shapeOf(projections)) {
    throw new UnusableViews(`${path} was not made by this version of Berth: start the service once`)
  }
}

const open = (path: string, projections: readonly Projection[], readOnly: boolean): ViewsFile => {
  if (readOnly && !existsSync(path)) throw new UnusableViews(`${path} does not exist: start the service once`)
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { readOnly, timeout: readOnly ? BUSY_WITHIN.reading : BUSY_WITHIN.writing })
    if (!readOnly) {
      // NORMAL: a power cut may take the newest rows, which the log gives again; it cannot damage the file.
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000')
    }
    checkShape(db, path, projections, readOnly)
    return fileOver(db, projections)
  } catch (error) {
    db?.close()
    if (error instanceof UnusableViews) throw error
    throw new UnusableViews(`${path} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

/** Removes a file of documents, so that it is made again from the log. */
export const dropViews = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** The primary result code of an error from SQLite. */
const sqliteCode = (error: unknown): number => ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff

/** SQLITE_CORRUPT and SQLITE_NOTADB: what is in the file is not what was written to it. */
export const isDamage = (error: unknown): boolean => [11, 26].includes(sqliteCode(error))

/** The rows can be made again. SQLITE_ERROR: tables are missing or have another shape. */
const canBeMadeAgain = ({ cause }: UnusableViews): boolean =>
  cause === undefined || isDamage(cause) || sqliteCode(cause) === 1

/**
 * Opens the file of documents, and starts it anew where its rows cannot be used.
 *
 * @throws UnusableViews when read only and there is nothing usable, or when there can be no such file
 */
export const openViewsFile = (
  path: string,
  projections: readonly Projection[],
  options: { readOnly?: boolean } = {},
): ViewsFile => {
  const readOnly = options.readOnly ?? false
  try {
    return open(path, projections, readOnly)
  } catch (error) {
    if (readOnly || !canBeMadeAgain(error as UnusableViews)) throw error
    dropViews(path)
    return open(path, projections, false)
  }
}

const fileOver = (db: DatabaseSync, projections: readonly Projection[]): ViewsFile => {
  const statements = new Map(projections.map(({ name }) => [name as string, statementsOf(db, name)]))
  const of = (projection: string): Statements => statements.get(projection) as Statements
  const progress = db.prepare('SELECT logId, position, mark, eventId FROM progress')
  const snapshot = db.prepare('SELECT stream, version, revision, mark, state FROM snapshot WHERE stream = ?')
  const keep = db.prepare('INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)')
  const advance = db.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?, ?, ?, ?, ?)')
  const shape = shapeOf(projections)
  return {
    progress: () => progress.get() as Progress | undefined,
    newest: (projection, id) => of(projection).newest.get(id) as Version | undefined,
    asOf: (projection, id, revision) => of(projection).asOf.get(id, revision) as Version | undefined,
    snapshot: (stream) => snapshot.get(stream) as Snapshot | undefined,
    write: (rows, snapshots, { logId, position, mark, eventId }) => {
      db.exec('BEGIN IMMEDIATE')
      try {
        for (const [projection, versions] of rows) {
          const { insert } = of(projection)
          for (const v of versions) insert.run(v.position, v.revision, v.id, v.document, v.ended)
        }
        for (const row of snapshots) keep.run(row.stream, row.version, row.revision, row.mark, row.state)
        advance.run(shape, logId, position, mark, eventId)
        db.exec('COMMIT')
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK')
        throw error
      }
    },
    rows: (projection, upTo) =>
      db
        .prepare(
          `SELECT position, revision, id, document, ended FROM ${projection} WHERE position <= ? ORDER BY position`,
        )
        .iterate(upTo) as Iterable<unknown> as Iterable<Version>,
    close: () => db.close(),
  }
}
