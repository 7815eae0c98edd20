import { chown, type FileHandle, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

const LINKS_MAX = 40

/** The file that a path stands for once its links are followed; the file itself need not exist. */
export const resolveLinks = async (path: string): Promise<string> => {
  let target = resolve(path)
  for (let i = 0; i < LINKS_MAX && (await isLink(target)); i++) {
    target = resolve(dirname(target), await readlink(target))
  }
  try {
    return join(await realpath(dirname(target)), basename(target))
  } catch {
    return target
  }
}

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false

/**
 * Gives a file that was just made to whoever has the file at `path`, or its directory: an edit with `sudo` must not lock
 * the service out.
 *
 * @throws NodeJS.ErrnoException EPERM to everyone but root: better no edit than a file that the service cannot read
 */
export const keepOwner = async (made: string, path: string): Promise<void> => {
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined && process.getuid?.() !== 0) return
  const { uid, gid } = existing ?? (await stat(dirname(path)))
  if ((await stat(made)).uid !== uid) await chown(made, uid, gid)
}

/** A directory's entries survive a crash only when it is synced too; Windows cannot and need not. */
export const syncDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * Puts a new file of mode 0600, which is filled piece by piece, in the place of one, whole or not at all. Nobody else may
 * do the same meanwhile.
 *
 * @throws NodeJS.ErrnoException when it cannot be written; the old file then stands, as it does when filling it fails
 */
export const replaceFileWith = async (path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> => {
  const temporary = `${path}.new`
  // One that a crash left has an unknown mode and owner.
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o600)
  try {
    await keepOwner(temporary, path)
    await fill(file)
    await file.sync()
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncDirectory(dirname(path))
}

/**
 * Puts a new file of mode 0600 in the place of one, whole or not at all. The caller holds a lock.
 *
 * @throws NodeJS.ErrnoException when it cannot be written; the old file then stands
 */
export const replaceFile = (path: string, text: string): Promise<void> =>
  replaceFileWith(path, (file) => file.writeFile(text))
