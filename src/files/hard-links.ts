import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'

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
 * Counts the names (hard links) of a file. A lock by name does not stop a process that opens the file by another name.
 * Symbolic links do not count; they are resolved. If there are several, finds who holds a lock on it under any name.
 */
export const findHardLinks = (file: string): { readonly count: number; readonly holder: string | undefined } => {
  const { nlink: count = 0, dev = 0, ino = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return { count, holder: count < 2 ? undefined : findHolder(dev, ino) }
}
