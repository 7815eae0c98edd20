import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { prepare } from '../../files/sqlite.ts'
import { fileOf, openToRead, READER_BUSY_TIMEOUT_MS } from './open.ts'
import { syncWal } from './sync.ts'
import { closeClaim } from './writer-claim.ts'

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
    const found = prepare<{ integrity_check: string }>(database, 'PRAGMA integrity_check').all()
    return found.map(({ integrity_check }) => integrity_check).filter((line) => line !== 'ok')
  } catch (error) {
    // Too damaged to check.
    return [(error as Error).message]
  } finally {
    database.close()
  }
}
