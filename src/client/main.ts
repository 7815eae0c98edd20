import { fstatSync, readdirSync, readFileSync } from 'node:fs'
import { runClient } from './client.ts'
import { EXIT, type Output } from './service/output.ts'

const NODE_MIN = 20

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
const findInheritedDescriptors = (): readonly number[] => {
  if (process.platform === 'win32') return []
  const fds: number[] = []
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
      } else if (stats.isFile() || stats.isDirectory() || stats.isCharacterDevice() || stats.isSocket()) fds.push(fd)
    } catch {
      // That of the folder, which is closed by now.
    }
  }
  for (const [fd, pipe] of pipes) if (ends.get(pipe)?.size === 1) fds.push(fd)
  return fds
}

/** A reader may close the pipe early; a machine must be given back all the same. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const own: Output = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  descriptors: findInheritedDescriptors(),
}
if (Number.parseInt(process.versions.node, 10) >= NODE_MIN)
  process.exitCode = await runClient(process.argv.slice(2), process.env, own)
else {
  own.stderr(`berth: this is Node ${process.versions.node}; the client needs Node ${NODE_MIN} or later\n`)
  process.exitCode = EXIT.usage
}
