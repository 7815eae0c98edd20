import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'

/** A directory that is removed after the test. */
export const temporaryDirectory = async (t: ExecutionContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'berth-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}
