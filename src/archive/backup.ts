import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { signCheckpoint } from '../audit/checkpoint.ts'
import { treeOf } from '../audit/merkle-tree.ts'
import type { Signer } from '../audit/signed-note.ts'
import { BEGINNING, type EventStore } from '../event-store/event-store.ts'
import { copyLogFile } from '../event-store/sqlite/copy.ts'
import { syncDirectory } from '../files/replace-file.ts'
import { readKnownKeyIds } from '../vault/vault.ts'
import { type BackupCheckpoint, findProblems, openLogFile } from './verify-backup.ts'

export interface BackupSource {
  /** The log's file. */
  readonly log: string
  /** The name of the log. */
  readonly origin: string
  /** The log's signer, if its key is available. */
  readonly signer?: Signer | undefined
}

export interface BackupOptions {
  /** Unix milliseconds. */
  readonly now: number
  /** Called twice from the first event to the last: while the log is hashed, then while the copy is checked. */
  readonly onProgress?: (done: number, of: number) => void
}

type Made = E.Either<string, BackupCheckpoint>

/**
 * Describes the copy with the root computed from the source log, so that verification compares the copy with the
 * source.
 */
const checkpointOf = async (
  { log, origin }: BackupSource,
  copy: EventStore,
  { now, onProgress }: BackupOptions,
): Promise<BackupCheckpoint> => {
  const head = await copy.head()
  const [events, end] = [head + 1, await copy.recordAt(head)]
  const last_event = end === undefined ? null : (JSON.parse(end.text) as { id: string }).id
  const source = openLogFile(log)
  const tree = await treeOf(source.records(BEGINNING), (done) => onProgress?.(done, events), events).finally(
    source.close,
  )
  const root = tree.root().toString('base64')
  const [vault_keys, made_at] = [await readKnownKeyIds(copy), new Date(now).toISOString()]
  return { version: 1, origin, log_id: copy.logId, events, last_event, root, vault_keys, made_at }
}

const fill = async (source: BackupSource, directory: string, options: BackupOptions): Promise<Made> => {
  const log = join(directory, 'events.db')
  copyLogFile(source.log, log)
  const copy = openLogFile(log)
  const checkpoint = await checkpointOf(source, copy, options).finally(copy.close)
  const isNew = { mode: 0o600, flag: 'wx', flush: true }
  await writeFile(join(directory, 'checkpoint.json'), `${JSON.stringify(checkpoint, undefined, 2)}\n`, isNew)
  if (source.signer !== undefined) {
    const root = Buffer.from(checkpoint.root, 'base64')
    await writeFile(join(directory, 'log.checkpoint'), signCheckpoint(checkpoint.events, root, source.signer), isNew)
  }
  const problems = await findProblems(log, checkpoint, (done) => options.onProgress?.(done, checkpoint.events))
  if (problems.length > 0) return E.left(`the copy does not match the log: ${problems.join('; ')}`)
  await using file = await open(log, 'r+')
  await file.sync()
  await syncDirectory(directory)
  return E.right(checkpoint)
}

/**
 * Backs up the log with its sealed secrets, users among them, and a checkpoint, signed if there is a signer, into a new
 * directory, and verifies it. Runs while the service runs. The directory appears complete or not at all. Vault keys are
 * not included. Left: why there is no backup.
 *
 * @throws UnusableLog, or NodeJS.ErrnoException when something cannot be written
 */
export const makeBackup = async (source: BackupSource, path: string, options: BackupOptions): Promise<Made> => {
  const directory = resolve(path)
  const partial = `${directory}.partial`
  if (existsSync(directory)) return E.left(`${directory} exists; a backup needs a new directory`)
  try {
    await mkdir(partial, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return E.left(`${partial} exists: another backup is running, or one was interrupted; in that case remove it`)
  }
  try {
    const made = await fill(source, partial, options)
    if (E.isRight(made)) {
      await rename(partial, directory)
      await syncDirectory(dirname(directory))
    }
    return made
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
