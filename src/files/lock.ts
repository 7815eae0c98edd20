import { closeSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'

/** Somebody else has it; the message says who. */
export class LockTaken extends Error {
  override name = 'LockTaken'
}

export interface Lock {
  readonly release: () => void
}

const SQLITE_BUSY = 5
/** Milliseconds between two attempts of `acquireLockWithin`. */
const RETRY_EVERY = 20

// A database that nobody refers to is closed by the garbage collector, and its lock goes with it.
const held = new Set<DatabaseSync>()

const makeFile = (path: string): void => {
  try {
    // Only ever made, never opened when it is there: to close any descriptor of a file drops all locks that this process
    // has on it (POSIX).
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
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
    // The text only helps people; on a full disk the service must still be able to start and answer reads.
  }
}

/**
 * Takes the lock that a file stands for, until it is released or the process ends, however it ends: the kernel keeps it.
 * The file is a SQLite database held open exclusively, because Node itself has no file locks; who holds it is written
 * to `<path>.owner`. Never delete the file: whoever has it open would hold a lock that nobody else can see.
 *
 * @throws LockTaken when another process, or this one, has it
 */
export const acquireLock = (path: string): Lock => {
  const file = join(realpathSync(dirname(path)), basename(path))
  makeFile(file)
  const database = new DatabaseSync(file)
  try {
    // In memory, so that no journal is left lying about: nothing is ever written.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    const { errcode, message } = error as Error & { errcode?: number }
    if (errcode === undefined || (errcode & 0xff) !== SQLITE_BUSY) {
      throw new Error(`${file} cannot be locked: ${message}`, { cause: error })
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

/**
 * Like `acquireLock`, but waits for whoever has it, up to so many milliseconds.
 *
 * @throws LockTaken
 */
export const acquireLockWithin = async (path: string, milliseconds: number): Promise<Lock> => {
  const end = performance.now() + milliseconds
  for (;;) {
    try {
      return acquireLock(path)
    } catch (error) {
      if (!(error instanceof LockTaken) || performance.now() >= end) throw error
    }
    await setTimeout(RETRY_EVERY)
  }
}
