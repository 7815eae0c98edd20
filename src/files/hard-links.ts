import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'

export interface HardLinks {
  /** Number of names of the file, including this one. */
  readonly count: number
  /** The process that holds a lock on it under any name; undefined if none or unknown. */
  readonly holder: string | undefined
}

const PROC_LOCKS = '/proc/locks'
const LOCK = /^\d+: POSIX +ADVISORY +(?:READ|WRITE) +(\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) /

/** The process that holds a lock on the file, according to Linux. */
const findHolder = (dev: number, ino: number): string | undefined => {
  const [major, minor] = [(dev >>> 8) & 0xfff, (dev & 0xff) | ((dev >>> 12) & 0xfff00)]
  let locks: string
  try {
    locks = readFileSync(PROC_LOCKS, 'utf8')
  } catch {
    return undefined
  }
  for (const line of locks.split('\n')) {
    const [, pid, ...file] = LOCK.exec(line) ?? []
    const isIts = file[2] === String(ino) && Number(`0x${file[0]}`) === major && Number(`0x${file[1]}`) === minor
    if (isIts && pid !== String(process.pid)) return `process ${pid} on ${hostname()}`
  }
  return undefined
}

/**
 * Finds other names (hard links) of a file. A lock by name does not stop a process that opens the file by another name.
 * Symbolic links do not count; they are resolved.
 */
export const findHardLinks = (file: string): HardLinks | undefined => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.nlink < 2) return undefined
  return { count: found.nlink, holder: findHolder(found.dev, found.ino) }
}
