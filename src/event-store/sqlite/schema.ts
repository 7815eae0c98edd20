import { DatabaseSync } from 'node:sqlite'
import type { RandomHex } from '../../domain/values/ids.ts'
import { prepare } from '../../files/sqlite.ts'
import { UnusableLog } from '../event-store.ts'

/** `brth`: identifies a log to `file` and other tools. */
const APPLICATION_ID = 0x62727468

/** The file's `user_version`. */
const SCHEMA_VERSION = 2

// No index but the position: scattered keys cost one page written twice for every event. `recorded` contains the stream
// and the revision. `previous` chains the events of a stream, starting from `head`. Heads are written behind: `heads` in
// `meta` is the position the table is current to. `end` detects a truncated log.
const SCHEMA = `
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

  INSERT INTO meta VALUES ('heads', '-1'), ('end', '-1');
`

export const readValue = (database: DatabaseSync, sql: string): unknown =>
  Object.values(database.prepare(sql).get() ?? {})[0]

/** Whether the file is empty, not a log yet. Rejects any other file that is no log of this schema. */
export const isEmptyFile = (database: DatabaseSync): boolean => {
  const version = readValue(database, 'PRAGMA user_version') as number
  const isEmpty = version === 0 && readValue(database, 'SELECT count(*) FROM sqlite_schema') === 0
  const application = readValue(database, 'PRAGMA application_id')
  if (application !== APPLICATION_ID && !(isEmpty && application === 0)) {
    throw new UnusableLog('is the database of another application')
  }
  if (version > SCHEMA_VERSION)
    throw new UnusableLog(`was written by a newer version of Berth (its schema is ${version})`)
  if (!isEmpty && version < SCHEMA_VERSION) throw new UnusableLog('was written by a version before 1.0')
  return isEmpty
}

export const createLog = (database: DatabaseSync, randomHex: RandomHex): void => {
  database.exec(`BEGIN IMMEDIATE; ${SCHEMA}`)
  try {
    database.prepare("INSERT INTO meta VALUES ('log_id', ?)").run(randomHex(12))
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

/** The rows of `meta` that every log has. */
const META_ROWS = ['log_id', 'heads', 'end']

/** The rows of `meta` that have been removed, as phrases: without them events can be lost without a trace. */
export const findMissingRows = (database: DatabaseSync): readonly string[] => {
  const rows = prepare<{ name: string }>(database, 'SELECT name FROM meta').all()
  const missing = META_ROWS.filter((name) => !rows.some((row) => row.name === name))
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

/** SQLite keeps the statement as it was written, with the indentation that our source had. */
const bare = (sql: string): string => sql.replace(/\s+/g, ' ')

const isSame = (a: SchemaObject, b: SchemaObject): boolean =>
  a.type === b.type && a.name === b.name && a.tbl_name === b.tbl_name && bare(a.sql) === bare(b.sql)

/**
 * How the schema of a log differs from that of this program, as phrases. Tables, indexes and views that somebody has
 * added are harmless; a trigger could change what is recorded.
 */
export const findSchemaDifferences = (database: DatabaseSync): readonly string[] => {
  const model = new DatabaseSync(':memory:')
  try {
    createLog(model, () => '')
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
