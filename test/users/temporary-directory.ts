import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'

/** A directory of the test's own, removed when it is over. */
export const temporaryDirectory = async (t: ExecutionContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'berth-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}
