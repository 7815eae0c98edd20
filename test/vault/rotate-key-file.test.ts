import { randomBytes } from 'node:crypto'
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { parseVaultKeys, rotateKeyFile } from '../../src/vault/keys.ts'
import { temporaryData } from '../http/harness.ts'
import { leftOf, rightOf } from '../users/builders.ts'
import { NOW } from './setting.ts'

const making = { now: NOW, randomBytes }
const base64 = (fill: number): string => Buffer.alloc(32, fill).toString('base64')

const idsIn = async (path: string): Promise<readonly string[]> =>
  rightOf(parseVaultKeys(await readFile(path, 'utf8'))).keys.map(({ id }) => id)

test('a new key is inserted before the old ones, whose lines and comments are unchanged', async (t) => {
  const directory = await temporaryData(t)
  const path = join(directory, 'vault.key')
  const old = `b:${base64(1)} # of last year\nc:${base64(2)},d:${base64(3)}`
  await writeFile(path, `# Keys\n\n${old}`, { mode: 0o644 })
  const id = rightOf(await rotateKeyFile(path, making))
  t.regex(id, /^2030-05-02-[0-9a-f]{4}$/)
  t.deepEqual(await idsIn(path), [id, 'b', 'c', 'd'])
  const text = await readFile(path, 'utf8')
  t.true(text.startsWith(`# Keys\n\n${id}:`))
  t.true(text.endsWith(`\n${old}`))
  t.is((await stat(path)).mode & 0o777, 0o600)
  t.deepEqual((await readdir(directory)).sort(), ['vault.key', 'vault.key.lock'])
})

test('of simultaneous rotations one is done and the others are refused, so that none is lost', async (t) => {
  const path = join(await temporaryData(t), 'vault.key')
  await writeFile(path, `a:${base64(1)}\n`)
  const rotated = await Promise.all(Array.from({ length: 8 }, () => rotateKeyFile(path, making)))
  const [done, refused] = [rotated.filter(E.isRight), rotated.filter(E.isLeft)]
  t.deepEqual(await idsIn(path), [...done.map(({ right }) => right).reverse(), 'a'])
  t.true(refused.length > 0)
  for (const { left } of refused) t.regex(left, /cannot be changed: .*vault\.key\.lock is held by process \d+/)
})

test('a symbolic link to a key file is kept, and its target is rotated', async (t) => {
  const directory = await temporaryData(t)
  const [path, link] = [join(directory, 'vault.key'), join(directory, 'link')]
  await writeFile(path, `a:${base64(1)}\n`)
  await symlink(path, link)
  const id = rightOf(await rotateKeyFile(link, making))
  t.deepEqual(await idsIn(path), [id, 'a'])
  t.deepEqual(await idsIn(link), [id, 'a'])
})

test('a missing, broken or read-only key file is refused unchanged, and the error shows no key', async (t) => {
  const directory = await temporaryData(t)
  const path = join(directory, 'vault.key')
  t.regex(leftOf(await rotateKeyFile(path, making)), /vault\.key cannot be changed: ENOENT: no such file/)
  t.deepEqual(await readdir(directory), [])
  const broken = `a:${base64(1)}\nCaNaRy0123456789`
  await writeFile(path, broken)
  const refusal = leftOf(await rotateKeyFile(path, making))
  t.regex(refusal, /key 2 must be/)
  t.false(refusal.includes('CaNaRy'))
  t.is(await readFile(path, 'utf8'), broken)
  if (process.getuid?.() === 0) return
  await writeFile(path, `a:${base64(1)}`)
  await chmod(directory, 0o500)
  t.regex(leftOf(await rotateKeyFile(path, making)), /EACCES/)
  await chmod(directory, 0o700)
})
