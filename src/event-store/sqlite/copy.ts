import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { ALL_HEADS, END, LAST } from './heads.ts'
import { fileOf, openToRead, READER_BUSY_TIMEOUT_MS } from './open.ts'
import { findMissingRows, findSchemaDifferences } from './schema.ts'
import { syncWal } from './sync.ts'
import { closeClaim, findClaimProblem } from './writer-claim.ts'

/**
 * Copies a consistent snapshot of a log, with its sealed secrets, into a new file of mode 0600. The writer may be
 * running. Deleted or overwritten data is not in the copy.
 *
 * @throws UnusableLog, and SQLite errors
 */
export const copyLogFile = (path: string, to: string): void => {
  const database = openToRead(path)
  try {
    closeSync(openSync(to, 'wx', 0o600))
    database.prepare('VACUUM INTO ?').run(to)
    const copy = new DatabaseSync(to)
    closeClaim(copy)
    copy.close()
    syncWal(fileOf(path))
  } finally {
    database.close()
  }
}

/** Damage that SQLite finds in a file; normally none. */
export const findDamage = (path: string): readonly string[] => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: READER_BUSY_TIMEOUT_MS })
  try {
    const rows = prepare<{ integrity_check: string }>(database, 'PRAGMA integrity_check').all()
    return rows.map(({ integrity_check }) => integrity_check).filter((line) => line !== 'ok')
  } catch (error) {
    // Too damaged to check.
    return [(error as Error).message]
  } finally {
    database.close()
  }
}

export interface StreamHead {
  readonly stream: string
  readonly revision: number
  readonly position: PublicPosition
}

/**
 * Opens what a log has beside its events: heads and the end. Reads depend on them, but they are not in the Merkle tree. A
 * writer may be running.
 *
 * @throws UnusableLog
 */
export const openLinks = (path: string) => {
  const database = openToRead(path)
  const heads = prepare<StreamHead>(database, ALL_HEADS)
  const end = database.prepare(END)
  const last = database.prepare(LAST)
  return {
    heads: () => heads.iterate(),
    /** Recorded position of the last event appended, even if it is missing. */
    end: () => toPublicPosition(Number(end.get()?.found)),
    /** Position of the last event present. */
    last: () => toPublicPosition(Number(last.get()?.found)),
    /** What is wrong with the file beside its events, as phrases: its schema, and the note of its last writer. */
    faults: (): readonly string[] => {
      const claim = findClaimProblem(database)
      return [...findSchemaDifferences(database), ...findMissingRows(database), ...(claim === undefined ? [] : [claim])]
    },
    close: (): void => database.close(),
  }
}
