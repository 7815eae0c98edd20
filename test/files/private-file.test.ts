import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { makeDirectory } from '../../src/files/private-file.ts'
import { temporaryData } from '../http/harness.ts'

test('a directory is created with its parents for their owner only, also where some exist', async (t) => {
  const home = await temporaryData(t)
  for (const path of ['a/b/c', 'a/b/c', 'a/d']) await makeDirectory(join(home, path))
  for (const name of ['a', 'a/b', 'a/b/c', 'a/d']) t.is((await stat(join(home, name))).mode & 0o777, 0o700)
})
