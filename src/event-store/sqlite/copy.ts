import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileOf, openDatabase } from './open.ts'
import { syncWal } from './sync.ts'

/** An event as it lies in a log. */
export interface StoredEvent {
  readonly position: number
  readonly recorded: string
  /** The leaf hash kept with it. */
  readonly leaf: Uint8Array
}

/** Milliseconds to wait for whoever else has the file. */
const BUSY_WITHIN = 5_000
/** Events read at a time. */
const PAGE = 1_000

/** Opens a log to read what lies in it, beside whoever writes it. @throws UnusableLog */
const openRead = (path: string): DatabaseSync =>
  openDatabase(fileOf(path), {
    readOnly: true,
    randomHex: () => '',
    busyTimeout: BUSY_WITHIN,
    pagesMax: undefined,
  })

/**
 * Copies a log as it stands at one moment, with its secrets as they are sealed, into a new file of mode 0600; beside
 * whoever writes it. What has been deleted or overwritten is not in the copy.
 *
 * @throws UnusableLog, and whatever SQLite has against it
 */
export const copyLog = (path: string, to: string): void => {
  const database = openRead(path)
  try {
    closeSync(openSync(to, 'wx', 0o600))
    database.prepare('VACUUM INTO ?').run(to)
    syncWal(fileOf(path))
  } finally {
    database.close()
  }
}

/** The events of a log before a position, in order, as they lie there. @throws UnusableLog */
export function* readStoredEvents(path: string, before: number): Generator<StoredEvent> {
  const database = openRead(path)
  try {
    const page = database.prepare(
      'SELECT position, recorded, leaf FROM event WHERE position > ? AND position < ? ORDER BY position LIMIT ?',
    )
    let last = -1
    for (;;) {
      const rows = page.all(last, before, PAGE) as unknown as StoredEvent[]
      yield* rows
      last = rows.at(-1)?.position ?? last
      if (rows.length < PAGE) return
    }
  } finally {
    database.close()
  }
}

/** What SQLite finds damaged in a file; nothing, as a rule. */
export const findDamage = (path: string): readonly string[] => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_WITHIN })
  try {
    const found = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
    return found.map(({ integrity_check }) => integrity_check).filter((line) => line !== 'ok')
  } catch (error) {
    // So damaged that it cannot even be checked.
    return [(error as Error).message]
  } finally {
    database.close()
  }
}
