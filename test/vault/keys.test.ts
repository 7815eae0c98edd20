import { randomBytes } from 'node:crypto'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { modeWarnings } from '../../src/files/private-file.ts'
import { type KeyRing, makeKeyFile, parseVaultKeys, readKeyRing } from '../../src/vault/keys.ts'
import { temporaryData } from '../http/harness.ts'
import { leftOf, rightOf } from '../users/builders.ts'

const base64 = (fill: number): string => Buffer.alloc(32, fill).toString('base64')
const idsOf = ({ keys }: KeyRing): readonly string[] => keys.map(({ id }) => id)
const materialOf = ({ current }: KeyRing): string => current.key.export().toString('base64')

const now = Date.parse('2030-05-02T05:58:11.400Z')
const making = { now, randomBytes }

/** Creates a missing key file, and reads it. */
const readOrMake = async (path: string) => {
  const made = await makeKeyFile(path, making)
  return { made, ring: rightOf(await readKeyRing({ vaultKeyFile: path })) }
}

test('a key ring is read from lines or commas, and its first key is the current one', (t) => {
  const [a, b] = [`new-1:${base64(1)}`, `old.1:${base64(2)}`]
  for (const text of [
    `${a},${b}`,
    `${a}\n${b}\n`,
    `# both\r\n ${a} # current\r\n\r\n${b}`,
    `${a}, ${b.replace(/=$/, '')}`,
  ]) {
    const ring = rightOf(parseVaultKeys(text))
    t.deepEqual(idsOf(ring), ['new-1', 'old.1'])
    t.true(ring.current === ring.keys[0])
    t.is(materialOf(ring), base64(1))
  }
})

const bad: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /^there is no key$/],
  ['only comments', '# later\n', /^there is no key$/],
  ['no id', base64(1), /^key 1 must be an id/],
  ['an empty id', `:${base64(1)}`, /^key 1 must be/],
  ['an id of 33 characters', `${'x'.repeat(33)}:${base64(1)}`, /^key 1 must be/],
  ['a blank in the id', `a b:${base64(1)}`, /^key 1 must be/],
  ['31 bytes', `a:${Buffer.alloc(31).toString('base64')}`, /^key 1 must be/],
  ['33 bytes', `a:${Buffer.alloc(33).toString('base64')}`, /^key 1 must be/],
  ['hex', `a:${Buffer.alloc(32).toString('hex')}`, /^key 1 must be/],
  ['base64url', `a:${Buffer.alloc(32, 0xff).toString('base64url')}`, /^key 1 must be/],
  ['bits after the last byte', `a:${base64(1).replace(/.=$/, 'F=')}`, /^key 1 must be/],
  ['a repeated id', `a:${base64(1)},a:${base64(2)}`, /^key 2 has the id of an earlier key$/],
  ['a repeated key', `a:${base64(1)},b:${base64(1)}`, /^key 2 is the same as an earlier key$/],
]

test('a key ring that is none is refused', (t) => {
  for (const [what, text, problem] of bad) {
    const problems = leftOf(parseVaultKeys(text))
    t.is(problems.length, 1, what)
    t.regex(problems[0] as string, problem, what)
  }
})

test('no error about a key ring and no inspection of it shows key material', (t) => {
  const secret = 'CaNaRy0123456789CaNaRy0123456789CaNaRy01234'
  const noise = fc.stringMatching(/^[:, =\n#A-Za-z0-9]{0,3}$/)
  const at = fc.nat(secret.length)
  fc.assert(
    fc.property(noise, noise, at, (before, after, cut) => {
      const result = parseVaultKeys(`${before}${secret.slice(0, cut)}${after}${secret.slice(cut)}`)
      const shown = E.isLeft(result) ? result.left.join() : inspect(result.right.keys.map(({ key }) => key))
      return !/CaNaRy/i.test(shown)
    }),
  )
  const ring = rightOf(parseVaultKeys(`a:${secret}=`.replace('4=', '0=')))
  const material = materialOf(ring)
  t.true(material.startsWith('CaNaRy'))
  t.false(`${inspect(ring, { depth: null, showHidden: true })}${JSON.stringify(ring)}`.includes(material.slice(0, 8)))
})

test('the first start creates a key file only its owner can read, and later starts read it', async (t) => {
  const path = join(await temporaryData(t), 'data', 'vault.key')
  const first = await readOrMake(path)
  t.true(first.made)
  t.deepEqual(await modeWarnings(path), [])
  t.is((await stat(path)).mode & 0o777, 0o600)
  t.regex(first.ring.current.id, /^2030-05-02-[0-9a-f]{4}$/)
  const again = await readOrMake(path)
  t.false(again.made)
  t.is(materialOf(again.ring), materialOf(first.ring))
  t.deepEqual(await readdir(join(path, '..')), ['vault.key'])
  t.regex(await readFile(path, 'utf8'), /^# .*Keep a copy/)
})

test('simultaneous starts agree on one key', async (t) => {
  const path = join(await temporaryData(t), 'vault.key')
  const made = await Promise.all(Array.from({ length: 8 }, () => readOrMake(path)))
  t.is(new Set(made.map(({ ring }) => materialOf(ring))).size, 1)
  t.is(made.filter((file) => file.made).length, 1)
  t.deepEqual(await readdir(join(path, '..')), ['vault.key'])
})

test('a missing key file is refused and not created when it is read', async (t) => {
  const directory = await temporaryData(t)
  const path = join(directory, 'vault.key')
  const problems = leftOf(await readKeyRing({ vaultKeyFile: path }))
  t.deepEqual(problems, [`the vault's keys cannot be read from ${path}: it does not exist`])
  t.deepEqual(await readdir(directory), [])
})

test('a broken key file is refused and never replaced', async (t) => {
  const path = join(await temporaryData(t), 'vault.key')
  await writeFile(path, 'a:CaNaRy0123456789')
  t.false(await makeKeyFile(path, making))
  const problems = leftOf(await readKeyRing({ vaultKeyFile: path }))
  t.true(problems.join().startsWith(`${path}: key 1 must be`))
  t.false(problems.join().includes('CaNaRy'))
  t.is(await readFile(path, 'utf8'), 'a:CaNaRy0123456789')
  t.regex(leftOf(await readKeyRing({ vaultKeyFile: join(path, '..') })).join(), /EISDIR/)
})

test('a key file that others can read raises a warning', async (t) => {
  const path = join(await temporaryData(t), 'vault.key')
  await writeFile(path, `a:${base64(1)}`)
  await chmod(path, 0o640)
  t.regex((await modeWarnings(path)).join(), /mode 0640.*change it to 0600/)
  await chmod(path, 0o400)
  t.deepEqual(await modeWarnings(path), [])
})
