import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import {
  HASH_COST,
  hashPassword,
  makePassword,
  PASSWORD_RANDOM_BYTES,
  type PasswordHash,
  parsePasswordHash,
  passwordProblem,
  verifyPassword,
} from '../../../src/users/passwords/password.ts'
import { anyCharacter } from '../../characters.ts'
import { cheapHash } from '../builders.ts'

const parsed = (text: string): PasswordHash => {
  const hash = parsePasswordHash(text)
  if (hash === undefined) throw new Error(`not read: ${text}`)
  return hash
}

const fits = async (hash: PasswordHash, password: string): Promise<boolean> =>
  (await verifyPassword(hash, password)).fits

test('a hash is in PHC format: argon2id at the cost that OWASP recommends', async (t) => {
  const text = await hashPassword('correct horse', new Uint8Array(16))
  t.regex(text, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$AAAAAAAAAAAAAAAAAAAAAA\$[A-Za-z0-9+/]{43}$/)
  t.like(parsed(text), HASH_COST)
})

test('a hash of the reference implementation is verified', async (t) => {
  // From the reference implementation's own tests: argon2id, version 19, 64 MiB, 2 passes, 1 lane.
  const text = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  t.true(await fits(parsed(text), 'password'))
  t.false(await fits(parsed(text), 'Password'))
})

test('a password matches its own hash and no other', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), async (password, other) => {
      const hash = parsed(await cheapHash(password))
      return (await fits(hash, password)) && (await fits(hash, other)) === (other === password)
    }),
    { numRuns: 50 },
  )
  t.pass()
})

test('the same letters in another Unicode normal form are another password', async (t) => {
  const hash = parsed(await cheapHash('caf\u00e9 caf\u00e9'))
  t.false(await fits(hash, 'cafe\u0301 cafe\u0301'))
})

const salt = 'AAAAAAAAAAAAAAAAAAAAAA'
const tag = 'A'.repeat(43)
const refused: readonly (readonly [string, string])[] = [
  ['another algorithm', `$argon2i$v=19$m=19456,t=2,p=1$${salt}$${tag}`],
  ['an older version', `$argon2id$v=16$m=19456,t=2,p=1$${salt}$${tag}`],
  ['a gigabyte of memory', `$argon2id$v=19$m=1048576,t=1,p=1$${salt}$${tag}`],
  ['a thousand passes', `$argon2id$v=19$m=19456,t=1000,p=1$${salt}$${tag}`],
  ['too much memory in too many passes', `$argon2id$v=19$m=131072,t=5,p=1$${salt}$${tag}`],
  ['more lanes than memory', `$argon2id$v=19$m=8,t=1,p=2$${salt}$${tag}`],
  ['too many lanes', `$argon2id$v=19$m=19456,t=1,p=17$${salt}$${tag}`],
  ['no salt', `$argon2id$v=19$m=19456,t=2,p=1$$${tag}`],
  ['a short tag', `$argon2id$v=19$m=19456,t=2,p=1$${salt}$AAAA`],
  ['padding', `$argon2id$v=19$m=19456,t=2,p=1$${salt}==$${tag}=`],
  ['bits after the last byte', `$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAB$${tag}`],
  ['a line break', `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}\n`],
  ['a plain password', 'correct horse'],
]

for (const [what, text] of refused) {
  test(`a hash with ${what} is refused`, (t) => {
    t.is(parsePasswordHash(text), undefined)
  })
}

test('control: the refused hashes without their fault are accepted', (t) => {
  t.truthy(parsePasswordHash(`$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}`))
  t.truthy(parsePasswordHash(`$argon2id$v=19$m=131072,t=4,p=16$${salt}$${tag}`))
})

test('a password has 8 characters to 1,024 bytes and no control characters', (t) => {
  for (const good of ['12345678', 'x'.repeat(1024), '\u{1f511}'.repeat(8), 'with: colon', '        ']) {
    t.is(passwordProblem(good), undefined)
  }
  for (const bad of [
    '1234567',
    '\u{1f511}'.repeat(7),
    'x'.repeat(1025),
    '1234567\n8',
    '12345678\u007f',
    '\ud80012345678',
  ]) {
    t.is(typeof passwordProblem(bad), 'string')
    t.false(passwordProblem(bad)?.includes(bad))
  }
})

test('a generated password is valid, easy to copy and depends on every random byte', (t) => {
  const random = randomBytes(PASSWORD_RANDOM_BYTES)
  const password = makePassword(random)
  t.regex(password, /^[0-9a-hjkmnp-tv-z]{26}$/)
  t.is(passwordProblem(password), undefined)
  for (let i = 0; i < random.length; i++) {
    const other = Uint8Array.from(random, (byte, at) => (at === i ? byte ^ 1 : byte))
    t.not(makePassword(other), password)
  }
})
