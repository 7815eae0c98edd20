import { DatabaseSync } from 'node:sqlite'
import type { RandomHex } from '../../domain/values/ids.ts'
import { prepare } from '../../files/sqlite.ts'
import { UnusableLog } from '../event-store.ts'

/** `brth`: identifies a log to `file` and other tools. */
const APPLICATION_ID = 0x62727468

type Migration = (database: DatabaseSync, randomHex: RandomHex) => void

/**
 * Schema migrations, oldest first. A file's `user_version` counts those applied. Released migrations are never edited.
 */
export const MIGRATIONS: readonly Migration[] = [
  (database, randomHex) => {
    // No index but the position: scattered keys cost one page written twice for every event. `recorded` contains the
    // stream and the revision. `previous` chains the events of a stream, starting from `head`.
    database.exec(`
      CREATE TABLE event (
        position INTEGER PRIMARY KEY,
        previous INTEGER,
        recorded TEXT NOT NULL,
        leaf BLOB NOT NULL
      ) STRICT;
      CREATE TABLE head (
        stream TEXT PRIMARY KEY,
        revision INTEGER NOT NULL,
        position INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE vault (
        sut_id TEXT NOT NULL,
        field TEXT NOT NULL,
        id TEXT NOT NULL,
        key_id TEXT NOT NULL,
        nonce BLOB NOT NULL,
        ciphertext BLOB NOT NULL,
        PRIMARY KEY (sut_id, field)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TRIGGER event_follows_the_last BEFORE INSERT ON event
        WHEN NEW.position IS NOT (SELECT ifnull(max(position) + 1, 0) FROM event)
        BEGIN SELECT RAISE(ABORT, 'an event is only ever added behind the last one'); END;
      CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
        BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
      CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
        BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;
      CREATE TRIGGER head_is_not_replaced BEFORE INSERT ON head
        WHEN EXISTS (SELECT 1 FROM head WHERE stream = NEW.stream)
        BEGIN SELECT RAISE(ABORT, 'a stream has one head'); END;
      CREATE TRIGGER head_is_not_deleted BEFORE DELETE ON head
        BEGIN SELECT RAISE(ABORT, 'a head is never deleted'); END;

      -- For people with the sqlite3 shell.
      CREATE VIEW events AS SELECT
        position,
        recorded ->> '$.stream' AS stream,
        recorded ->> '$.revision' AS revision,
        recorded ->> '$.type' AS type,
        recorded ->> '$.metadata.time' AS time,
        recorded ->> '$.metadata.actor' AS actor,
        recorded -> '$.data' AS data
      FROM event;
    `)
    database.prepare("INSERT INTO meta VALUES ('log_id', ?)").run(randomHex(12))
  },
  (database) => {
    // Heads are now written behind. `heads` is the position the table is current to. `end` detects a truncated log.
    database.exec(`
      INSERT INTO meta SELECT 'heads', ifnull(max(position), -1) FROM event;
      INSERT INTO meta SELECT 'end', ifnull(max(position), -1) FROM event`)
  },
]

export const scalar = (database: DatabaseSync, sql: string): unknown =>
  Object.values(database.prepare(sql).get() ?? {})[0]

/** SQLite before 3.51.3 can lose commits in WAL mode. */
export const isSafeSqlite = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1_000_000 + minor * 1000 + patch >= 3_051_003
}

/** The file's `user_version`. Rejects files that are neither a log nor empty before writing anything. */
export const versionOf = (database: DatabaseSync, newest: number): number => {
  const version = scalar(database, 'PRAGMA user_version') as number
  const isEmpty = version === 0 && scalar(database, 'SELECT count(*) FROM sqlite_schema') === 0
  const application = scalar(database, 'PRAGMA application_id')
  if (application !== APPLICATION_ID && !(isEmpty && application === 0)) {
    throw new UnusableLog('is the database of another application')
  }
  if (version > newest) throw new UnusableLog(`was written by a newer version of Berth (its schema is ${version})`)
  return version
}

/** Applies pending migrations, each in its own transaction. */
export const migrate = (
  database: DatabaseSync,
  randomHex: RandomHex,
  migrations: readonly Migration[] = MIGRATIONS,
): void => {
  for (let version = versionOf(database, migrations.length); version < migrations.length; version++) {
    database.exec('BEGIN IMMEDIATE')
    try {
      ;(migrations[version] as Migration)(database, randomHex)
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version + 1}; COMMIT`)
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}

/** The rows of `meta` that the migrations make. */
const META_ROWS = ['log_id', 'heads', 'end']

/** The rows of `meta` that have been removed, as phrases: without them events can be lost without a trace. */
export const findMissingRows = (database: DatabaseSync): readonly string[] => {
  const found = prepare<{ name: string }>(database, 'SELECT name FROM meta').all()
  const missing = META_ROWS.filter((name) => !found.some((row) => row.name === name))
  return missing.map((name) => `the row ${name} of meta is missing`)
}

/** What was removed is not made again silently. @throws UnusableLog naming all */
export const refuseChanges = (changes: readonly string[]): void => {
  if (changes.length > 0)
    throw new UnusableLog(`has been changed by another program: ${changes.join(', ')}; restore a backup`)
}

/** A table, trigger or view of a database, with the statement that makes it. */
interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string
}

const schemaOf = (database: DatabaseSync): readonly SchemaObject[] =>
  prepare<SchemaObject>(
    database,
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
  ).all()

const isSame = (a: SchemaObject, b: SchemaObject): boolean =>
  a.type === b.type && a.name === b.name && a.tbl_name === b.tbl_name && a.sql === b.sql

/**
 * How the schema of a log differs from that of this program, as phrases. Tables, indexes and views that somebody has
 * added are harmless; a trigger could change what is recorded.
 */
export const findSchemaDifferences = (database: DatabaseSync): readonly string[] => {
  const model = new DatabaseSync(':memory:')
  try {
    migrate(model, () => '')
    const [wanted, found] = [schemaOf(model), schemaOf(database)]
    const differing = wanted.filter((object) => !found.some((other) => isSame(object, other)))
    const added = found.filter(({ type, name }) => type === 'trigger' && !wanted.some((object) => object.name === name))
    return [
      ...differing.map(({ type, name }) => `the ${type} ${name} is missing or has been changed`),
      ...added.map(() => 'a trigger has been added'),
    ]
  } finally {
    model.close()
  }
}
