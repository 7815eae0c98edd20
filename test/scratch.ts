import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** Bytes free there from which on the tests use it: all of them together have been seen to need a tenth. */
const ENOUGH = 4 * 2 ** 30

const free = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

// The tests wait for thousands of syncs, which cost a disk a third of their time and memory nothing. What a disk does
// to the service is what the tests in process/disk are about, and they make their own. A TMPDIR that is set is used.
if (process.env.TMPDIR === undefined && tmpdir() === '/tmp' && existsSync(MEMORY) && free(MEMORY) >= ENOUGH) {
  process.env.TMPDIR = MEMORY
}
