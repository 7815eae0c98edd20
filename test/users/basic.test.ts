import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { foldName, isNewUserName } from '../../src/domain/values/user-name.ts'
import { parseBasic } from '../../src/users/basic.ts'
import { PASSWORD_BYTES_MAX } from '../../src/users/passwords/password.ts'
import { anyCharacter } from '../characters.ts'

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

const nameIn = (header: string): string | undefined => {
  const read = parseBasic(header)
  return E.isRight(read) ? read.right.name : undefined
}

const spellings = (name: string): readonly string[] => [
  name,
  name.normalize('NFC'),
  name.normalize('NFD'),
  name.toUpperCase(),
  name.toLowerCase(),
  foldName(name),
  foldName(name).normalize('NFD'),
]

/** Those that grow most when decomposed or folded: in characters, and in bytes. */
const GROWING = ['ᾢ', 'ΐ', 'ﬃ', 'ß', '가', '각', '\u{1d160}', '\u{1d1c0}', '\u0344', 'ử', '😀']

test('every name, in every spelling that folds to the same, is read from a header with the longest password', (t) => {
  const names = GROWING.map((one) => one.repeat(128))
  for (const name of names) {
    for (const spelling of spellings(name)) t.is(nameIn(basic(spelling, 'x'.repeat(PASSWORD_BYTES_MAX))), spelling)
  }
})

test('property: every name that a user can have is read as it is written', (t) => {
  const name = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 128 }).filter((one) => !/[\p{Cc}:]/u.test(one))
  let taken = 0
  fc.assert(
    fc.property(name, fc.constantFrom('', 'pass:word', 'ö'), (one, password) => {
      if (isNewUserName(one)) taken++
      for (const spelling of spellings(one)) t.is(nameIn(basic(spelling, password)), spelling)
    }),
  )
  t.true(taken > 10)
})

test('a byte order mark in a name is kept, so that it is another name', (t) => {
  t.is(nameIn(basic('\ufeffalice', 'x')), '\ufeffalice')
})
