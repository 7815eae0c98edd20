import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { RandomHex } from '../../domain/values/ids.ts'
import { LockTaken } from '../../files/lock.ts'
import { prepare, readRow, SQLITE, sqliteCode, walPath } from '../../files/sqlite.ts'
import { UnusableLog } from '../event-store.ts'
import { migrate } from './schema.ts'

/**
 * Ensures a single writer, by whatever path the file is opened. The lock file and SQLite's WAL are found by path. A
 * second service that reaches the file through a bind mount of it alone would find neither, and the two would not see
 * each other's commits. All paths share the file itself: its bytes, and the kernel's locks on it. SQLite holds a shared
 * lock on it while a connection is open.
 *
 * - The claim, a row of `meta`, names the lock file of the last writer. It is written only while nobody else has the
 *   file open, and into the file itself, not only into the WAL. The claim therefore always names the current writer's
 *   lock.
 * - A writer that already holds the claimed lock needs nothing more, since nobody else can hold it. Readers may have
 *   the file open.
 * - Any other writer must claim the file first, which fails while a writer is running.
 */
interface Claim {
  readonly id: string
  /** Id of the previous claim; null for the first. */
  readonly previous: string | null
  /** The lock file held by the writer. */
  readonly lock: string
  /** Identity of the log's file. A copy has another. */
  readonly file: string
  /** For messages. */
  readonly path: string
  readonly writer: string
  /** Whether the writer has not closed the file. Its last events may then exist only in the WAL. */
  readonly is_open: boolean
}

interface Claiming {
  readonly randomHex: RandomHex
  /** Milliseconds to wait for other connections to the file. */
  readonly busyTimeout: number
}

/** Result of a WAL checkpoint: pages in the WAL, and how many of them are in the file. */
interface WalCheckpointResult {
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

const NAME = 'writer'

const lockOf = (file: string): string => {
  const { dev, ino } = statSync(`${file}.lock`, { bigint: true })
  return `${dev}:${ino}`
}

/** Inodes are reused, so include the creation time. */
const identityOf = (file: string): string => {
  const { dev, ino, birthtimeNs } = statSync(file, { bigint: true })
  return `${dev}:${ino}:${birthtimeNs}`
}

const readClaim = (database: DatabaseSync): Claim | undefined => {
  const row = prepare<{ value: string }>(database, 'SELECT value FROM meta WHERE name = ?').get(NAME)
  return row && JSON.parse(row.value)
}

const readClaimOf = (file: string | URL): Claim | undefined => {
  try {
    const database = new DatabaseSync(file, { readOnly: true, defensive: false })
    try {
      // An interrupted checkpoint leaves a first page that counts pages not yet written, which SQLite calls malformed.
      database.exec('PRAGMA writable_schema = ON')
      return readClaim(database)
    } finally {
      database.close()
    }
  } catch {
    // No log yet, or an unreadable one. Opening it for writing reports the error.
    return undefined
  }
}

/** The claim in the file itself, ignoring any WAL at this path. */
const readClaimInFile = (file: string): Claim | undefined => {
  const url = pathToFileURL(file)
  // Use SQLite rather than `read`: closing any other descriptor of the file would drop SQLite's locks on it (POSIX).
  url.searchParams.set('immutable', '1')
  return readClaimOf(url)
}

const writeClaim = (database: DatabaseSync, claim: Claim): void => {
  database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(NAME, JSON.stringify(claim))
}

/** Rejects a WAL at this path that does not belong to the file, before SQLite can apply it. */
const checkWal = (file: string, claimed: Claim | undefined): void => {
  const wal = statSync(walPath(file), { throwIfNoEntry: false })
  if (wal === undefined || wal.size === 0) return
  const followed = readClaimOf(file)
  if (followed?.id !== claimed?.id && followed?.previous !== (claimed?.id ?? null))
    throw new UnusableLog(`has been written through another path since ${walPath(file)} was: delete that file`)
}

/** The WAL at another path that contains the file's last events, if any. */
const findOtherWal = (file: string, claimed: Claim | undefined): string | undefined =>
  claimed?.is_open && claimed.file === identityOf(file) && !existsSync(walPath(file))
    ? walPath(claimed.path)
    : undefined

const hashOf = (claim: Omit<Claim, 'id'>): string => hash('sha256', JSON.stringify(claim)).slice(0, 24)

const isWhole = ({ id, previous, lock, file, path, writer }: Claim): boolean =>
  id === hashOf({ previous, lock, file, path, writer, is_open: true })

/** Why the claim cannot be trusted, as a phrase. Logs that were last written before there were claims have none. */
export const findClaimProblem = (database: DatabaseSync): string | undefined => {
  try {
    const claim = readClaim(database)
    if (claim === undefined || isWhole(claim)) return undefined
  } catch {
    // It is no JSON.
  }
  return 'the note of the last writer in meta has been changed'
}

const makeLockTaken = (file: string, claimed: Claim | undefined, cause?: unknown): LockTaken => {
  const by = claimed === undefined ? 'another process' : `${claimed.writer}, as ${claimed.path}`
  const otherwise = 'or, if that process has ended, by a reading command: wait for it and start again'
  return new LockTaken(`${file} is held by ${by}, ${otherwise}`, { cause })
}

const makeClaim = (file: string, claimed: Claim | undefined): Claim => {
  const claim = {
    previous: claimed?.id ?? null,
    lock: lockOf(file),
    file: identityOf(file),
    path: file,
    writer: `process ${process.pid} on ${hostname()} since ${new Date().toISOString()}`,
    is_open: true,
  }
  return { id: hashOf(claim), ...claim }
}

/** Migrates and claims the file, while nobody else has it open. @throws LockTaken */
const claimAlone = (file: string, claimed: Claim | undefined, { randomHex, busyTimeout }: Claiming): void => {
  const elsewhere = findOtherWal(file, claimed)
  const database = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    // For a file in WAL mode, this takes the exclusive lock at once and keeps it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA fullfsync = 1; BEGIN EXCLUSIVE; COMMIT')
    if (elsewhere !== undefined) {
      const remedy = `start and stop the service there once, or move that file to ${walPath(file)}`
      throw new UnusableLog(`was not closed by its last writer: the last events are in ${elsewhere}; ${remedy}`)
    }
    migrate(database, randomHex)
    writeClaim(database, makeClaim(file, claimed))
    // Moves the claim, and any pages left in the WAL, into the file.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    throw sqliteCode(error) === SQLITE.busy ? makeLockTaken(file, claimed, error) : error
  } finally {
    database.close()
  }
}

/**
 * Makes sure that nobody else writes the file. Call before opening it for writing.
 *
 * @throws LockTaken if another process writes it by another path, UnusableLog if the WAL at another path is missing
 */
export const claimFile = (file: string, claiming: Claiming): void => {
  const claimed = readClaimInFile(file)
  if (claimed?.lock === lockOf(file)) return
  checkWal(file, claimed)
  claimAlone(file, claimed, claiming)
}

const setOpen = (database: DatabaseSync, isOpen: boolean): void => {
  const claim = readClaim(database)
  if (claim !== undefined && claim.is_open !== isOpen) writeClaim(database, { ...claim, is_open: isOpen })
}

/** Checks the claim again once the file is open and cannot be claimed. Records that it is open. @throws LockTaken */
export const confirmClaim = (database: DatabaseSync, file: string): void => {
  const claimed = readClaimInFile(file)
  if (claimed?.lock !== lockOf(file)) throw makeLockTaken(file, claimed)
  try {
    setOpen(database, true)
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // A full disk fails the first append. Until then the log can be read.
  }
}

/** Records that the file is closed, once the whole WAL is in the file. */
export const closeClaim = (database: DatabaseSync): void => {
  try {
    const read = prepare<WalCheckpointResult>(database, 'PRAGMA wal_checkpoint(PASSIVE)')
    const { busy, log, checkpointed } = readRow(read)
    if (busy === 0 && log === checkpointed) setOpen(database, false)
  } catch {
    // The next start from this path does not need it.
  }
}
