import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { signCheckpoint } from '../audit/checkpoint.ts'
import { growTree, treeOf } from '../audit/merkle-tree.ts'
import type { Signer } from '../audit/signed-note.ts'
import type { UnixMilliseconds } from '../domain/values/units.ts'
import { BEGINNING, type EventStore } from '../event-store/event-store.ts'
import { copyLogFile, findDamage } from '../event-store/sqlite/copy.ts'
import { openSqliteStore } from '../event-store/sqlite/store.ts'
import { decodeEvent, leafHash, UndecodableEvent } from '../event-store/stored-event.ts'
import { acquireLock } from '../files/lock.ts'
import { replaceFile, syncDirectory } from '../files/replace-file.ts'
import { readKnownKeyIds } from '../vault/vault.ts'

/** What the copied log must contain: its length, and a hash over all of it. */
export interface BackupCheckpoint {
  /** The version of this shape. */
  readonly version: 1
  readonly origin: string
  readonly log_id: string
  readonly events: number
  /** The id of the last event. */
  readonly last_event: string | null
  /** The head of the Merkle tree over the events (RFC 6962), in base64. */
  readonly root: string
  /** The ids of the vault keys needed to read the secrets of the SUTs. */
  readonly vault_keys: readonly string[]
  readonly made_at: string
}

/** What a directory says of the backup in it; nothing if there is none. */
const readBackupCheckpoint = async (directory: string): Promise<Partial<BackupCheckpoint>> => {
  try {
    return JSON.parse(await readFile(join(directory, 'checkpoint.json'), 'utf8')) ?? {}
  } catch {
    return {}
  }
}

/** Opens an embedded log to read it, while a service may write it. @throws UnusableLog */
const openLogFile = (path: string): EventStore =>
  openSqliteStore({
    ...{ path, readOnly: true, randomHex: () => '' },
    onFatal: (error) => {
      throw error
    },
  })

/**
 * Problems of a copied log, as sentences. Empty when the file is intact, every event can be read, and together they
 * match the checkpoint. Hashes are computed from the events, not taken from those that are stored.
 */
export const findProblems = async (
  path: string,
  checkpoint: BackupCheckpoint,
  onProgress: (done: number) => void,
): Promise<readonly string[]> => {
  const damage = findDamage(path)
  if (damage.length > 0) return damage.slice(0, 5)
  await using store = openLogFile(path)
  const tree = growTree()
  let last: string | null = null
  try {
    for await (const page of store.records(BEGINNING)) {
      for (const { storePosition, text, leaf } of page) {
        const own = leafHash(text)
        if (storePosition !== tree.size()) return [`the event at ${tree.size()} is missing`]
        if (leaf === undefined || !own.equals(leaf)) return [`the event at ${storePosition} does not match its hash`]
        last = decodeEvent(text, storePosition).id
        tree.add(own)
      }
      onProgress(tree.size())
    }
  } catch (error) {
    if (error instanceof UndecodableEvent) return [error.message]
    throw error
  }
  if (tree.size() !== checkpoint.events) return [`it has ${tree.size()} events, the log had ${checkpoint.events}`]
  if (last !== checkpoint.last_event) return ['its last event is not the last event of the log']
  return tree.root().toString('base64') === checkpoint.root ? [] : ['its Merkle root differs from that of the log']
}

/** What the last backup of a log left in the data directory, for the metrics of the service. */

const FILE = 'last-backup.json'

export const recordBackup = (data: string, { log_id, events, made_at }: BackupCheckpoint): Promise<void> =>
  replaceFile(join(data, FILE), (file) => file.writeFile(`${JSON.stringify({ log_id, events, made_at })}\n`))

/** When the log was last backed up, in Unix milliseconds; undefined if it never was, as far as is known. */
export const readLastBackup = async (data: string, logId: string): Promise<number | undefined> => {
  try {
    const { log_id, made_at } = JSON.parse(await readFile(join(data, FILE), 'utf8')) as Partial<BackupCheckpoint>
    const time = Date.parse(String(made_at))
    return log_id === logId && !Number.isNaN(time) ? time : undefined
  } catch {
    return undefined
  }
}

export interface BackupSource {
  /** The log's file. */
  readonly log: string
  readonly origin: string
  /** The log's signer, if its key is available. */
  readonly signer?: Signer | undefined
}

export interface BackupOptions {
  readonly now: UnixMilliseconds
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
  copied: string,
  { now, onProgress }: BackupOptions,
): Promise<BackupCheckpoint> => {
  await using copy = openLogFile(copied)
  const head = await copy.head()
  const [events, end] = [head + 1, await copy.recordAt(head)]
  const last_event = end === undefined ? null : (JSON.parse(end.text) as { id: string }).id
  await using source = openLogFile(log)
  const tree = await treeOf(source.records(BEGINNING), (done) => onProgress?.(done, events), events)
  const root = tree.root().toString('base64')
  const [vault_keys, made_at] = [await readKnownKeyIds(copy), new Date(now).toISOString()]
  return { version: 1, origin, log_id: copy.logId, events, last_event, root, vault_keys, made_at }
}

const fill = async (source: BackupSource, directory: string, options: BackupOptions): Promise<Made> => {
  const log = join(directory, 'events.db')
  copyLogFile(source.log, log)
  const checkpoint = await checkpointOf(source, log, options)
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
    const result = await fill(source, partial, options)
    if (E.isRight(result)) {
      await rename(partial, directory)
      await syncDirectory(dirname(directory))
    }
    return result
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Backups of a log side by side in one directory, of which the newest are kept. */

const NAME = /^berth-\d{8}T\d{6}Z$/
/** One that was interrupted, or that was being removed. */
const REMAINS = /^berth-\d{8}T\d{6}Z\.(?:partial|removed)$/
const LOCK = '.berth-backups.lock'

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
    // It sorts by time, and every file system takes it.
    const name = `berth-${new Date(options.now).toISOString().replace(/[-:]|\.\d+/g, '')}`
    const result = await makeBackup(source, join(directory, name), options)
    if (E.isLeft(result)) return result
    const others = (await backupsIn(directory, result.right.log_id)).filter((other) => other !== name)
    const removed = others.slice(keep - 1).map((other) => join(directory, other))
    for (const old of removed) {
      // Half of a backup never has the name of a whole one.
      await rename(old, `${old}.removed`)
      await rm(`${old}.removed`, { recursive: true })
    }
    if (removed.length > 0) await syncDirectory(directory)
    return E.right({ directory: join(directory, name), checkpoint: result.right, removed })
  } finally {
    lock.release()
  }
}
