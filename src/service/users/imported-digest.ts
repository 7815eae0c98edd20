import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../files/replace-file.ts'

/** File name of the SHA-256 of the users file that was imported. */
const IMPORTED_DIGEST = 'imported-users.sha256'

export const saveImported = (data: string, digest: string): Promise<void> =>
  replaceFile(join(data, IMPORTED_DIGEST), `${digest}\n`)

/** The digest of the users file that was imported; undefined if none is known. */
export const readImported = async (data: string): Promise<string | undefined> => {
  try {
    return (await readFile(join(data, IMPORTED_DIGEST), 'utf8')).trimEnd()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
