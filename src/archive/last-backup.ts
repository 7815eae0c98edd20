import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../files/replace-file.ts'
import type { BackupCheckpoint } from './verify-backup.ts'

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
