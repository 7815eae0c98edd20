import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What a backup says of the keys that it needs and does not hold. */
export interface FoundBackup {
  readonly directory: string
  readonly vault_keys: readonly string[]
  /** The signature lines of its signed checkpoint; empty where it has none. */
  readonly signatures: readonly string[]
}

/** Directories that are looked at: beside a data directory there may be a great many. */
const DIRECTORIES_MAX = 1_000

const readSmall = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

/** The backup of a log in a directory: none or one. */
export const backupIn = async (directory: string, logId: string): Promise<readonly FoundBackup[]> => {
  try {
    const { log_id, vault_keys } = JSON.parse(await readSmall(join(directory, 'checkpoint.json')))
    if (log_id !== logId || !Array.isArray(vault_keys)) return []
    const signatures = (await readSmall(join(directory, 'log.checkpoint')))
      .split('\n')
      .filter((line) => line.startsWith('\u2014 '))
    return [{ directory, vault_keys: vault_keys.map(String), signatures }]
  } catch {
    return []
  }
}

/** The backups of a log in a data directory that was put back from one, and in the directories beside it. */
export const findBackups = async (data: string, logId: string): Promise<readonly FoundBackup[]> => {
  const beside = dirname(data)
  const names = (await readdir(beside, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(beside, name))
    .sort()
    .slice(0, DIRECTORIES_MAX)
  const found: FoundBackup[] = []
  for (const directory of new Set([data, ...names])) found.push(...(await backupIn(directory, logId)))
  return found
}
