import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'

export interface HardLinks {
  /** How many names the file has, this one among them. */
  readonly count: number
  /** Who has it open and locked, by whatever name; undefined where nobody has or the system does not tell. */
  readonly holder: string | undefined
}

const PROC_LOCKS = '/proc/locks'
const LOCK = /^\d+: POSIX +ADVISORY +(?:READ|WRITE) +(\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) /

/** The process that has a lock on this file, as Linux tells of all of them. */
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
 * Whether a file has more than one name, by hard links: a lock that goes by the name does not keep others from opening
 * the file by another. Symbolic links are none of these; they are followed.
 */
export const findHardLinks = (file: string): HardLinks | undefined => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.nlink < 2) return undefined
  return { count: found.nlink, holder: findHolder(found.dev, found.ino) }
}
