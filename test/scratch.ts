import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** Bytes that must be free there. A whole run has been seen to use 163 MiB at once. */
const ENOUGH = 2 ** 30

const free = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

// Tests wait for thousands of syncs, which took a third of the time of those over HTTP and are free in memory. Those of
// process/disk look at calls and inject faults, which are the same there. A TMPDIR that is set is used.
if (process.env.TMPDIR === undefined && tmpdir() === '/tmp' && existsSync(MEMORY) && free(MEMORY) >= ENOUGH) {
  process.env.TMPDIR = MEMORY
}
