import type { DatabaseSync } from 'node:sqlite'
import type { Snapshot } from '../../domain/decider.ts'
import { prepare } from '../../files/sqlite.ts'

/** Folded states of streams. */
export const SNAPSHOT_SCHEMA = `
  CREATE TABLE snapshot (
    stream TEXT PRIMARY KEY, version INTEGER NOT NULL, revision INTEGER NOT NULL, storePosition INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;`

export const makeSnapshotTable = (db: DatabaseSync) => {
  const select = prepare<Snapshot>(
    db,
    'SELECT stream, version, revision, storePosition, text FROM snapshot WHERE stream = ?',
  )
  const upsert = db.prepare('INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)')
  return {
    read: (stream: string): Snapshot | undefined => select.get(stream),
    /** Writes inside a transaction. */
    write: ({ stream, version, revision, storePosition, text }: Snapshot): void => {
      upsert.run(stream, version, revision, storePosition, text)
    },
  }
}
