import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { ExpectedError } from './expected-error.ts'
import { SQLITE, sqliteCode } from './sqlite.ts'

/** A file cannot be created or opened because its disk, or the quota on it, is full. */
export class DiskFull extends ExpectedError {
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be used: the disk is full; make room, then try again`, { cause })
  }
}

/** Bytes of room without which SQLite may not get the shared memory of a WAL (32 KiB) and a first page. */
const ROOM = 64 * 1024

const hasRoom = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize > ROOM
  } catch {
    return true
  }
}

/** Whether the disk of a file is full, or the quota on it. */
export const isOfFullDisk = (error: unknown, path: string): boolean => {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || sqliteCode(error) === SQLITE.full) return true
  // SQLite reports an I/O error when there is no room for its shared memory.
  return sqliteCode(error) === SQLITE.ioError && !hasRoom(path)
}

/** The error of a file, or DiskFull if that is its cause. */
export const orDiskFull = (error: unknown, path: string): unknown =>
  isOfFullDisk(error, path) ? new DiskFull(path, error) : error
