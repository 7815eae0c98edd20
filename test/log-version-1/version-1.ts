import { chmod, copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dataWithPeople, type Tidying } from '../http/harness.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** The number of events in the version 1 log. */
export const EVENTS = 28
/** A moment after its last event, within the same quarter-hour. */
export const LATER = '2030-05-02T19:06:00.000Z'

export const CHECKPOINT = join(HERE, 'checkpoint')
export const verifierKey = async (): Promise<string> => (await readFile(join(HERE, 'verifier-key'), 'utf8')).trim()

const json = async (name: string) => JSON.parse(await readFile(join(HERE, name), 'utf8')) as Record<string, string>

/** The answers of version 1, by path. */
export const answersOfVersion1 = () => json('answers.json')
/** The ids of its SUTs and reservations, by their names in the README. */
export const idsOfVersion1 = () => json('ids.json')

/** A data directory with the log as version 1 left it. */
export const dataOfVersion1 = async (t: Tidying): Promise<string> => {
  const data = await dataWithPeople(t)
  for (const file of ['events.db', 'vault.key', 'audit.key']) {
    await copyFile(join(HERE, file), join(data, file))
    await chmod(join(data, file), 0o600)
  }
  return data
}
