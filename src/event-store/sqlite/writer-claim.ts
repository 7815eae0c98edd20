import { hash } from 'node:crypto'
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { RandomHex } from '../../domain/values/ids.ts'
import { LockTaken } from '../../files/lock.ts'
import { prepare, SQLITE, sqliteCode, walPath } from '../../files/sqlite.ts'
import { UnusableLog } from '../event-store.ts'
import { createLog, isEmptyFile } from './schema.ts'

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

const NAME = 'writer'

const lockOf = (file: string): string => {
  const { dev, ino } = statSync(`${file}.lock`, { bigint: true })
  return `${dev}:${ino}`
}

const readClaim = (database: DatabaseSync): Claim | undefined => {
  const row = prepare<{ value: string }>(database, 'SELECT value FROM meta WHERE name = ?').get(NAME)
  return row && JSON.parse(row.value)
}

/** What SQLite reports of a file without a log, or with pages that an interrupted WAL checkpoint has not written. */
const INCOMPLETE: readonly (number | undefined)[] = [SQLITE.error, SQLITE.corrupt, SQLITE.notADatabase]

/** Undefined if the file has no claim that can be read. @throws any other error, such as that of a full disk */
const readClaimOf = (file: string | URL): Claim | undefined => {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, defensive: false })
    // An interrupted checkpoint leaves a first page that counts pages not yet written, which SQLite calls malformed.
    database.exec('PRAGMA writable_schema = ON')
    return readClaim(database)
  } catch (error) {
    if (error instanceof SyntaxError || INCOMPLETE.includes(sqliteCode(error))) return undefined
    throw error
  } finally {
    database?.close()
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
  const wal = walPath(file)
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const followed = readClaimOf(file)
  if (followed?.id !== claimed?.id && followed?.previous !== (claimed?.id ?? null))
    throw new UnusableLog(
      `has been written through another path since ${wal} was, which therefore does not belong to it: ` +
        'find the WAL of that path, or move this one to another directory and keep it',
    )
}

/** Why the file lacks its last events, as a phrase: it was not closed, and its WAL is missing. Undefined if it has all. */
const findMissingWal = (file: string): string | undefined => {
  const wal = walPath(file)
  if (existsSync(wal)) return undefined
  const claimed = readClaimInFile(file)
  // Looked for again: a writer may have started meanwhile.
  if (!claimed?.is_open || existsSync(wal)) return undefined
  const [other, was] = [walPath(claimed.path), `was not closed by its last writer (${claimed.writer})`]
  const lost = `if it is lost for good, put an empty file at ${wal}: the events in it are lost then`
  return other === wal
    ? `${was}, and ${wal} with its last events is missing: put it back, or, ${lost}`
    : `${was}: the last events are in ${other}; start and stop the service there once, or bring that file to ${wal}; ${lost}`
}

/**
 * Refuses a file that lacks its last events. Reading it would also leave an empty WAL, which hides that.
 *
 * @throws UnusableLog
 */
export const refuseMissingWal = (file: string): void => {
  const missing = findMissingWal(file)
  if (missing !== undefined) throw new UnusableLog(missing)
}

/** Whether an operator has given up the events of a lost WAL: the file was not closed, and its WAL is empty. */
export const isGivenUp = (file: string): boolean =>
  statSync(walPath(file), { throwIfNoEntry: false })?.size === 0 && readClaimInFile(file)?.is_open === true

const hashOf = (claim: Omit<Claim, 'id'>): string => hash('sha256', JSON.stringify(claim)).slice(0, 24)

// Of all that a claim has, since earlier ones had more.
const isWhole = ({ id, is_open: _, ...claim }: Claim): boolean => id === hashOf({ ...claim, is_open: true })

/** Why the claim cannot be trusted, as a phrase. Logs that were last written before there were claims have none. */
export const findClaimProblem = (database: DatabaseSync): string | undefined => {
  try {
    const claim = readClaim(database)
    if (claim === undefined || isWhole(claim)) return undefined
  } catch (error) {
    // Otherwise it is no JSON, or of another shape.
    if (sqliteCode(error) !== undefined) throw error
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
    path: file,
    writer: `process ${process.pid} on ${hostname()} since ${new Date().toISOString()}`,
    is_open: true,
  }
  return { id: hashOf(claim), ...claim }
}

/** Claims the file, and makes an empty one a log, while nobody else has it open. @throws LockTaken */
const claimAlone = (file: string, claimed: Claim | undefined, { randomHex, busyTimeout }: Claiming): void => {
  // Opening the file makes one.
  const missing = findMissingWal(file)
  const database = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    // For a file in WAL mode, this takes the exclusive lock at once and keeps it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA fullfsync = 1; BEGIN EXCLUSIVE; COMMIT')
    if (missing !== undefined) throw new UnusableLog(missing)
    if (isEmptyFile(database)) createLog(database, randomHex)
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
 * @throws LockTaken if another process writes it by another path, UnusableLog if its WAL is missing or another's
 */
export const claimFile = (file: string, claiming: Claiming): void => {
  const claimed = readClaimInFile(file)
  if (claimed?.lock === lockOf(file)) refuseMissingWal(file)
  else {
    checkWal(file, claimed)
    claimAlone(file, claimed, claiming)
  }
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

/** Records that the file is closed. Returns whether it did, which a full disk may prevent. */
export const closeClaim = (database: DatabaseSync): boolean => {
  try {
    // With all of the WAL in the file, the next write takes the beginning of the WAL and needs no room.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    setOpen(database, false)
    return true
  } catch {
    return false
  }
}

/** Puts an empty WAL where SQLite has removed one that is in the file as a whole, though its claim is still open. */
export const keepWal = (file: string): void => closeSync(openSync(walPath(file), 'a', 0o600))
