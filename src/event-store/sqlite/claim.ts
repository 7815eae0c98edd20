import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { RandomHex } from '../../domain/values/ids.ts'
import { LockTaken } from '../../files/lock.ts'
import { UnusableLog } from '../event-store.ts'
import { migrate } from './schema.ts'

/**
 * Who may write a log, by whatever path. The lock beside the file and SQLite's journal go by the path, so a second
 * service that reaches the file by a bind mount of it alone would find both free, and neither would see the other's
 * commits. What all paths share is the file: its bytes, and the kernel's locks on it. SQLite holds a shared lock on it
 * for as long as a connection is open, and this is used as follows.
 *
 * - The claim, a row of `meta`, names the lock file of the last writer. It is written only while nobody else has the
 *   file open, into the file itself and not only into the journal. So the claim names the lock of whoever writes.
 * - A writer whose own lock is the one that is claimed needs nothing more: it holds that lock, which nobody else can.
 *   Readers may have the file open.
 * - Any other has to claim the file first, which fails while a writer is there.
 */
interface Claim {
  readonly id: string
  /** The id of the claim before, null for the first. */
  readonly previous: string | null
  /** The lock file that its writer holds. */
  readonly lock: string
  /** The log's file: a copy is another. */
  readonly file: string
  /** For people. */
  readonly path: string
  readonly writer: string
  /** Whether its writer has not closed the file: then its last events may be in the journal alone. */
  readonly is_open: boolean
}

interface Claiming {
  readonly randomHex: RandomHex
  /** Milliseconds to wait for who else has the file open. */
  readonly busyTimeout: number
}

/** What a checkpoint of the journal returns: pages in it, and how many of them are in the file. */
interface WalCheckpointResult {
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

const SQLITE_BUSY = 5
const NAME = 'writer'

const lockOf = (file: string): string => {
  const { dev, ino } = statSync(`${file}.lock`, { bigint: true })
  return `${dev}:${ino}`
}

/** Inodes are used again, so the time at which it was made tells it from one that was removed. */
const identityOf = (file: string): string => {
  const { dev, ino, birthtimeNs } = statSync(file, { bigint: true })
  return `${dev}:${ino}:${birthtimeNs}`
}

const walPath = (file: string): string => `${file}-wal`

const readClaim = (database: DatabaseSync): Claim | undefined => {
  const row = database.prepare('SELECT value FROM meta WHERE name = ?').get(NAME) as { value: string } | undefined
  return row && JSON.parse(row.value)
}

const readClaimOf = (file: string | URL): Claim | undefined => {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return readClaim(database)
    } finally {
      database.close()
    }
  } catch {
    // No log yet, or one that cannot be read: opening it to write says why.
    return undefined
  }
}

/** The claim as the file itself has it, whatever stands in the journal of this path. */
const readClaimInFile = (file: string): Claim | undefined => {
  const url = pathToFileURL(file)
  // By SQLite and not by `read`: to close any other descriptor of the file would drop SQLite's locks on it (POSIX).
  url.searchParams.set('immutable', '1')
  return readClaimOf(url)
}

const isBusy = (error: unknown): boolean => (((error as { errcode?: number }).errcode ?? 0) & 0xff) === SQLITE_BUSY

const writeClaim = (database: DatabaseSync, claim: Claim): void => {
  database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(NAME, JSON.stringify(claim))
}

/** Refuses a journal of this path that does not belong to the file, before anything can put it there. */
const checkWal = (file: string, claimed: Claim | undefined): void => {
  const journal = statSync(walPath(file), { throwIfNoEntry: false })
  if (journal === undefined || journal.size === 0) return
  const followed = readClaimOf(file)
  const isIts = followed?.id === claimed?.id || followed?.previous === (claimed?.id ?? null)
  if (!isIts) throw new UnusableLog(`has been written by another path since ${walPath(file)} was: remove that journal`)
}

/** Where the last events of the file are, if they are in the journal of another path. */
const findOtherWal = (file: string, claimed: Claim | undefined): string | undefined =>
  claimed?.is_open && claimed.file === identityOf(file) && !existsSync(walPath(file))
    ? walPath(claimed.path)
    : undefined

const makeLockTaken = (file: string, claimed: Claim | undefined, cause?: unknown): LockTaken => {
  const by = claimed === undefined ? 'another process' : `${claimed.writer}, as ${claimed.path}`
  const otherwise = 'or, if that has ended, by a reading command, after which it can be started'
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
  return { id: hash('sha256', JSON.stringify(claim)).slice(0, 24), ...claim }
}

/** Brings the file to the newest schema and claims it, while nobody else has it open. @throws LockTaken */
const claimAlone = (file: string, claimed: Claim | undefined, { randomHex, busyTimeout }: Claiming): void => {
  const elsewhere = findOtherWal(file, claimed)
  const database = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    // Of a file with a journal this mode takes the exclusive lock at once, and keeps it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA fullfsync = 1; BEGIN EXCLUSIVE; COMMIT')
    if (elsewhere !== undefined) {
      const remedy = `start and stop the service there once, or bring that file here as ${walPath(file)}`
      throw new UnusableLog(`was not closed by its last writer: the last events are in ${elsewhere}; ${remedy}`)
    }
    migrate(database, randomHex)
    writeClaim(database, makeClaim(file, claimed))
    // Puts the claim, and what was left in the journal, into the file.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    throw isBusy(error) ? makeLockTaken(file, claimed, error) : error
  } finally {
    database.close()
  }
}

/**
 * Makes sure that nobody else writes the file, before it is opened to be written.
 *
 * @throws LockTaken when another process writes it by another path, UnusableLog when the journal of another path is missing
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

/**
 * Looks again when the file has been opened, from when on nobody else can claim it, and notes that it is open.
 *
 * @throws LockTaken
 */
export const confirmClaim = (database: DatabaseSync, file: string): void => {
  const claimed = readClaimInFile(file)
  if (claimed?.lock !== lockOf(file)) throw makeLockTaken(file, claimed)
  try {
    setOpen(database, true)
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // A full disk is met with the first append. Until then the log can be read.
  }
}

/** Notes that the file is closed, once everything in the journal is in the file too. */
export const closeClaim = (database: DatabaseSync): void => {
  try {
    const { busy, log, checkpointed } = database
      .prepare('PRAGMA wal_checkpoint(PASSIVE)')
      .get() as unknown as WalCheckpointResult
    if (busy === 0 && log === checkpointed) setOpen(database, false)
  } catch {
    // The next start by this path does not need it.
  }
}
