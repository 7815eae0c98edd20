import { fstatSync, readdirSync, readFileSync } from 'node:fs'

/** What this process has from the one that started it, and what Node hides from programs that it starts. */

/** Where a process sees its own descriptors. */
const FOLDER = '/dev/fd'

/** The end of a pipe: 0 is that which is read. Unknown where the system has no such file. */
const endOfPipe = (fd: number): string => {
  try {
    return /^flags:\s*\d*(\d)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? ''
  } catch {
    return `${fd}`
  }
}

/**
 * The descriptors from 3 on that this process was started with. To be called before anything is opened. Node has some of
 * its own: what is neither a file, a device, a socket nor a pipe, and pipes of which it has both ends.
 */
export const findInheritedDescriptors = (): readonly number[] => {
  if (process.platform === 'win32') return []
  const found: number[] = []
  const ends = new Map<string, Set<string>>()
  const pipes = new Map<number, string>()
  for (const fd of readdirSync(FOLDER).map(Number)) {
    if (fd < 3) continue
    try {
      const stats = fstatSync(fd)
      if (stats.isFIFO()) {
        const pipe = `${stats.dev}:${stats.ino}`
        pipes.set(fd, pipe)
        ends.set(pipe, (ends.get(pipe) ?? new Set()).add(endOfPipe(fd)))
      } else if (stats.isFile() || stats.isDirectory() || stats.isCharacterDevice() || stats.isSocket()) found.push(fd)
    } catch {
      // That of the folder, which is closed by now.
    }
  }
  for (const [fd, pipe] of pipes) if (ends.get(pipe)?.size === 1) found.push(fd)
  return found
}

/** The bit of SIGHUP in the mask of ignored signals. */
const HANGUP = 1n

/**
 * Whether SIGHUP was ignored when this process was started. Node sets that back before any of this runs. So nohup is
 * known by the variable that shells set to the program they start, and a shell that ignores the signal by its status.
 */
export const isHangupIgnored = ({ _: started = '' }: Readonly<Record<string, string | undefined>>): boolean => {
  if (/(^|\/)nohup$/.test(started)) return true
  try {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${process.ppid}/status`, 'utf8')) ?? []
    return (BigInt(`0x${mask}`) & HANGUP) !== 0n
  } catch {
    return false
  }
}
