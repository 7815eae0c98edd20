import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { formatKeyId } from '../audit/audit-key.ts'
import type { Verifier } from '../audit/signed-note.ts'
import { readBackupCheckpoint } from './verify-backup.ts'

/** Directories searched. A data directory may have very many neighbours. */
const DIRECTORIES_MAX = 1_000

/** The backup of a log in a directory, if there is one: the keys that it needs, and the lines that sign it. */
const backupIn = async (directory: string, logId: string) => {
  const { log_id, vault_keys } = await readBackupCheckpoint(directory)
  if (log_id !== logId || !Array.isArray(vault_keys)) return []
  const note = await readFile(join(directory, 'log.checkpoint'), 'utf8').catch(() => '')
  const signatures = note.split('\n').filter((line) => line.startsWith('\u2014 '))
  return [{ directory, vault_keys: vault_keys.map(String), signatures }]
}

/** The backups of a log in its data directory, if that was restored from one, and in the neighbouring directories. */
const findBackups = async (data: string, logId: string) => {
  const parent = dirname(data)
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name))
  const searched = new Set([data, ...directories.sort().slice(0, DIRECTORIES_MAX)])
  return (await Promise.all([...searched].map((directory) => backupIn(directory, logId)))).flat()
}

/** The key id of a signature line, in the format of `formatKeyId`. */
const signerOf = (line: string): string => {
  const [, name = '', encoded = ''] = line.split(' ')
  return `${name}+${Buffer.from(encoded, 'base64').subarray(0, 4).toString('hex')}`
}

/** What backups reveal about a missing key. Backups contain no keys, but name the ones they need. */
export const makeLostKeys = (data: string, logId: string) => ({
  /** The directories of the backups signed with this key. */
  signedBy: async (verifier: Verifier): Promise<readonly string[]> => {
    const found = await findBackups(data, logId)
    return found
      .filter(({ signatures }) => signatures.some((line) => signerOf(line) === formatKeyId(verifier)))
      .map(({ directory }) => directory)
  },
  /** How to continue without a missing vault key. */
  remedyFor: async (vaultKey: string): Promise<string> => {
    const backups = (await findBackups(data, logId)).filter(({ vault_keys }) => vault_keys.includes(vaultKey))
    const listed = backups.map(({ directory }) => directory).join(', ')
    const where = listed === '' ? 'is in no backup' : `is in no backup, although ${listed} needs it`
    return `the key ${JSON.stringify(vaultKey)} ${where}; restore it, or, if it is lost for good, give up its secrets with: berth vault forget ${vaultKey}`
  },
})

export type LostKeys = ReturnType<typeof makeLostKeys>
