import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { orDiskFull } from './full-disk.ts'

/** Creates one directory. False if its parent is missing. */
const makeOne = async (path: string): Promise<boolean> => {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return true
    throw orDiskFull(error, path)
  }
}

/**
 * Creates a directory and its missing parents, for their owner only. Node's recursive `mkdir` never ends below a
 * directory that answers ENOENT for whatever is created in it, as `/proc` does.
 */
export const makeDirectory = async (path: string): Promise<void> => {
  if (await makeOne(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeDirectory(parent)
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster.
    if (error.code !== 'EEXIST') throw orDiskFull(error, path)
  })
}
