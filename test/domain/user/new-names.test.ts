import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { fitUserName, freeName, NewUserName } from '../../../src/domain/user/names.ts'
import { mixesScripts } from '../../../src/domain/values/scripts.ts'
import { foldName, isNewUserName } from '../../../src/domain/values/user-name.ts'
import { anyCharacter } from '../../characters.ts'

const fitted: readonly (readonly [string, string | undefined])[] = [
  ['anna', 'anna'],
  ['Zoë 😀', 'Zoë 😀'],
  ['Zoe\u0308', 'Zoë'],
  [' anna ', 'anna'],
  ['\u3000anna', 'anna'],
  ['lab:anna', 'lab-anna'],
  ['a::\u200b\nb', 'a-b'],
  ['adm\u034f\ufe0fin', 'adm-in'],
  ['a\ud800b', 'a\ufffdb'],
  ['BERTH_anna', 'user-BERTH_anna'],
  ['x'.repeat(200), 'x'.repeat(120)],
  [`z${'x'.repeat(118)} y`, `z${'x'.repeat(118)}`],
  ['ｂｅｒｔｈ_anna', 'user-ｂｅｒｔｈ_anna'],
  ['аnna', undefined],
  ['', undefined],
  [' \u00a0', undefined],
]
for (const [given, name] of fitted) {
  test(`${JSON.stringify(given.slice(0, 20))} is fitted to ${JSON.stringify(name?.slice(0, 20))}`, (t) => {
    t.is(fitUserName(given), name)
  })
}

test('whatever is fitted is a name for a new user, also with a number, and a name that fits stays', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
      const name = fitUserName(text)
      if (name === undefined) return text.trim() === '' || mixesScripts(text.normalize('NFC'))
      const numbered = freeName(name, new Set([foldName(name)]))
      const isKept = !isNewUserName(text) || text.length > 120 || name === text.normalize('NFC')
      return isNewUserName(name) && isNewUserName(numbered) && numbered === `${name}-2` && isKept
    }),
    { numRuns: 1_000 },
  )
  t.pass()
})

test('a name that is taken in any case gets the first number that is free', (t) => {
  t.is(freeName('Anna', new Set()), 'Anna')
  t.is(freeName('Anna', new Set(['anna'])), 'Anna-2')
  t.is(freeName('Anna', new Set(['anna', 'anna-2', 'anna-4'])), 'Anna-3')
  t.is(freeName('Straße', new Set(['strasse'])), 'Straße-2')
})

test('a new name is decoded unchanged, or refused with one message', (t) => {
  for (const name of ['x', 'Zoë 😀', 'e\u0301', '😀'.repeat(128)]) t.deepEqual(NewUserName.decode(name), E.right(name))
  for (const refused of [
    '',
    'a:b',
    'a ',
    'BERTH_a',
    'аnna',
    'a\u200bb',
    '\ud83d',
    'x'.repeat(129),
    5,
    null,
    undefined,
    ['x'],
  ]) {
    const read = NewUserName.decode(refused)
    t.deepEqual(E.isLeft(read) && read.left.map(({ message }) => message), [
      'must be 1 to 128 characters, without ":", invisible characters or lone surrogates, without white space at either end, not begin with "berth_", and not mix scripts, such as Latin and Cyrillic',
    ])
    t.false(NewUserName.is(refused))
  }
})
