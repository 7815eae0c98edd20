import { closeSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ExpectedError } from './expected-error.ts'
import { orDiskFull } from './full-disk.ts'
import { SQLITE, sqliteCode } from './sqlite.ts'

/** Another process holds the lock; the message names it. */
export class LockTaken extends ExpectedError {}

export interface Lock {
  readonly release: () => void
}

// The garbage collector closes an unreferenced database, which would release its lock.
const held = new Set<DatabaseSync>()

const makeFile = (path: string): void => {
  try {
    // Create only, never open an existing file: closing any descriptor of a file drops all locks of this process on it
    // (POSIX).
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw orDiskFull(error, path)
  }
}

const readOwner = (path: string): string => {
  try {
    return readFileSync(`${path}.owner`, 'utf8').trim() || 'another process'
  } catch {
    return 'another process'
  }
}

const writeOwner = (path: string): void => {
  try {
    writeFileSync(`${path}.owner`, `process ${process.pid} on ${hostname()} since ${new Date().toISOString()}\n`, {
      mode: 0o600,
    })
  } catch {
    // Informational only. On a full disk the service must still start and serve reads.
  }
}

/**
 * Acquires a lock file. The kernel releases it when the process ends, however it ends. The file is a SQLite database
 * opened exclusively, because Node has no file locks. The holder is named in `<path>.owner`. Never delete the lock
 * file: a process that has it open would hold a lock that nobody else can see.
 *
 * @throws LockTaken if this or another process holds it
 */
export const acquireLock = (path: string): Lock => {
  const file = join(realpathSync(dirname(path)), basename(path))
  makeFile(file)
  const database = new DatabaseSync(file)
  try {
    // In memory, so that no journal file is left behind. Nothing is ever written.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (sqliteCode(error) !== SQLITE.busy) {
      throw new Error(`${file} cannot be locked: ${(error as Error).message}`, { cause: error })
    }
    throw new LockTaken(`${file} is held by ${readOwner(file)}`, { cause: error })
  }
  held.add(database)
  writeOwner(file)
  return {
    release: () => {
      if (!held.delete(database)) return
      try {
        rmSync(`${file}.owner`, { force: true })
      } finally {
        database.close()
      }
    },
  }
}
