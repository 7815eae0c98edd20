import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { makeDirectory } from '../../src/files/private-file.ts'
import { temporaryData } from '../http/harness.ts'

test('a directory is created with its parents for their owner only, also where some exist', async (t) => {
  const home = await temporaryData(t)
  await makeDirectory(join(home, 'a', 'b', 'c'))
  await makeDirectory(join(home, 'a', 'b', 'c'))
  await makeDirectory(join(home, 'a', 'd'))
  for (const name of ['a', 'a/b', 'a/b/c', 'a/d']) t.is((await stat(join(home, name))).mode & 0o777, 0o700)
})

test('several that create the same directory at once all succeed', async (t) => {
  const path = join(await temporaryData(t), 'a', 'b', 'c')
  await t.notThrowsAsync(Promise.all(Array.from({ length: 8 }, () => makeDirectory(path))))
})

test('a directory below a file is refused', async (t) => {
  const home = await temporaryData(t)
  await writeFile(join(home, 'file'), '')
  await t.throwsAsync(makeDirectory(join(home, 'file')), { code: 'EEXIST' })
  await t.throwsAsync(makeDirectory(join(home, 'file', 'a')), { code: 'ENOTDIR' })
})

const withProc = process.platform === 'linux' ? test : test.skip
withProc('a directory below one that answers ENOENT to everything is refused', async (t) => {
  await t.throwsAsync(makeDirectory('/proc/none/of/these'), { message: /^(?:ENOENT|EACCES)/ })
})
