import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The keys a backup needs but does not contain. */
export interface FoundBackup {
  readonly directory: string
  readonly vault_keys: readonly string[]
  /** The signature lines of its signed checkpoint; empty if it has none. */
  readonly signatures: readonly string[]
}

/** Directories searched. A data directory may have very many neighbours. */
const DIRECTORIES_MAX = 1_000

const readSmall = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

/** The backup of a log in a directory, if there is one. */
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

/** The backups of a log in its data directory, if that was restored from one, and in the neighbouring directories. */
export const findBackups = async (data: string, logId: string): Promise<readonly FoundBackup[]> => {
  const parent = dirname(data)
  const names = (await readdir(parent, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(parent, name))
    .sort()
    .slice(0, DIRECTORIES_MAX)
  const found: FoundBackup[] = []
  for (const directory of new Set([data, ...names])) found.push(...(await backupIn(directory, logId)))
  return found
}
