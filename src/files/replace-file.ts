import { chown, type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Resolves links. The file itself need not exist. */
export const resolveLinks = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    const directory = dirname(resolve(path))
    return join(await realpath(directory).catch(() => directory), basename(path))
  }
}

/**
 * Gives a new file the owner of the file at `path`, or of its directory. An edit with `sudo` must not lock the service
 * out.
 *
 * @throws NodeJS.ErrnoException EPERM unless root: no edit is better than a file the service cannot read
 */
export const keepOwner = async (made: string, path: string): Promise<void> => {
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined && process.getuid?.() !== 0) return
  const { uid, gid } = existing ?? (await stat(dirname(path)))
  if ((await stat(made)).uid !== uid) await chown(made, uid, gid)
}

/** Syncs a directory, so that its entries survive a crash. Windows cannot do this and does not need to. */
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
 * Atomically replaces a file with a new one of mode 0600, written by `fill`. The caller must prevent concurrent
 * replacements.
 *
 * @throws NodeJS.ErrnoException if writing fails; the old file is then unchanged
 */
export const replaceFile = async (path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> => {
  const temporary = `${path}.new`
  // A file left by a crash has an unknown mode and owner.
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
