import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { StorePosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { BEGINNING } from '../event-store.ts'
import { fileOf, openToRead, READER_BUSY_TIMEOUT_MS } from './open.ts'
import { syncWal } from './sync.ts'
import { closeClaim } from './writer-claim.ts'

interface StoredEvent {
  readonly position: StorePosition
  readonly recorded: string
  /** The stored leaf hash. */
  readonly leaf: Uint8Array
}

/** Events per read. */
const PAGE = 1_000

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

/** The raw events of a log before a position, in order. @throws UnusableLog */
export function* readStoredEvents(path: string, before: number): Generator<StoredEvent> {
  const database = openToRead(path)
  try {
    const page = prepare<StoredEvent>(
      database,
      'SELECT position, recorded, leaf FROM event WHERE position > ? AND position < ? ORDER BY position LIMIT ?',
    )
    let last = BEGINNING
    for (;;) {
      const rows = page.all(last, before, PAGE)
      yield* rows
      last = rows.at(-1)?.position ?? last
      if (rows.length < PAGE) return
    }
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
