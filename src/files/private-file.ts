import { existsSync } from 'node:fs'
import { link, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { orDiskFull } from './full-disk.ts'
import { syncDirectory } from './replace-file.ts'

/** Creates a directory and its missing parents, for their owner only. */
export const makeDirectory = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw orDiskFull(error, path)
  })
}

/**
 * Creates a file readable only by its owner. False if it already exists, even if another process created it just now.
 *
 * @throws DiskFull
 */
export const createPrivateFile = async (
  path: string,
  text: string,
  randomBytes: (size: number) => Uint8Array,
): Promise<boolean> => {
  if (existsSync(path)) return false
  await makeDirectory(dirname(path))
  const temporary = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}.new`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    // Unlike a rename, a link never replaces an existing file.
    await link(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw orDiskFull(error, path)
    return false
  } finally {
    await rm(temporary, { force: true })
  }
  await syncDirectory(dirname(path))
  return true
}

/** Warnings about a secret file that others can read. */
export const modeWarnings = async (path: string): Promise<readonly string[]> => {
  const mode = (await stat(path)).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return []
  return [`${path} is readable by others (mode 0${mode.toString(8)}); change it to 0600`]
}
