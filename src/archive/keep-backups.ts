import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { acquireLock } from '../files/lock.ts'
import { syncDirectory } from '../files/replace-file.ts'
import { type BackupOptions, type BackupSource, makeBackup } from './backup.ts'
import { type BackupCheckpoint, readBackupCheckpoint } from './verify-backup.ts'

/** Backups of a log side by side in one directory, of which the newest are kept. */

const NAME = /^berth-\d{8}T\d{6}Z$/
/** One that was interrupted, or that was being removed. */
const REMAINS = /^berth-\d{8}T\d{6}Z\.(?:partial|removed)$/
const LOCK = '.berth-backups.lock'

/** A name that sorts by time, and that every file system takes. */
const nameOf = (now: number): string => `berth-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`

/** The backups of this log, the newest first. */
const backupsIn = async (directory: string, logId: string): Promise<readonly string[]> => {
  const names = (await readdir(directory))
    .filter((name) => NAME.test(name))
    .toSorted()
    .toReversed()
  const checkpoints = await Promise.all(names.map((name) => readBackupCheckpoint(join(directory, name))))
  return names.filter((_, n) => checkpoints[n]?.log_id === logId)
}

export interface KeptBackup {
  /** Of the new backup. */
  readonly directory: string
  readonly checkpoint: BackupCheckpoint
  /** The directories of those that were removed. */
  readonly removed: readonly string[]
}

/**
 * Makes a backup in a directory of backups, under a name made of the time, and then removes the oldest of the same log
 * so that `keep` are left. Everything else in the directory stays, and so does everything if the new backup fails.
 *
 * @throws LockTaken while another process does so, UnusableLog, or NodeJS.ErrnoException
 */
export const makeKeptBackup = async (
  source: BackupSource,
  parent: string,
  keep: number,
  options: BackupOptions,
): Promise<E.Either<string, KeptBackup>> => {
  const directory = resolve(parent)
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const lock = acquireLock(join(directory, LOCK))
  try {
    for (const name of await readdir(directory)) {
      if (REMAINS.test(name)) await rm(join(directory, name), { recursive: true })
    }
    const name = nameOf(options.now)
    const made = await makeBackup(source, join(directory, name), options)
    if (E.isLeft(made)) return made
    const others = (await backupsIn(directory, made.right.log_id)).filter((other) => other !== name)
    const removed = others.slice(keep - 1).map((other) => join(directory, other))
    for (const old of removed) {
      // Half of a backup never has the name of a whole one.
      await rename(old, `${old}.removed`)
      await rm(`${old}.removed`, { recursive: true })
    }
    if (removed.length > 0) await syncDirectory(directory)
    return E.right({ directory: join(directory, name), checkpoint: made.right, removed })
  } finally {
    lock.release()
  }
}
