import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { parseCsv } from '../../../src/domain/codec/csv.ts'
import { anyCharacter } from '../../characters.ts'

const MANY = 1_000

const rowsOf = (text: string, rowsMax = MANY): readonly (readonly string[])[] => {
  const read = parseCsv(text, rowsMax)
  if (E.isLeft(read)) throw new Error(JSON.stringify(read.left))
  return read.right.map(({ fields }) => fields)
}

const parsed: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  ['', []],
  ['a', [['a']]],
  [
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a,b\r\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a\r\nb\nc', [['a'], ['b'], ['c']]],
  [',', [['', '']]],
  [
    'a,\n,b',
    [
      ['a', ''],
      ['', 'b'],
    ],
  ],
  [' a , b ', [[' a ', ' b ']]],
  ['"a,b",c', [['a,b', 'c']]],
  ['"a\r\nb","c\nd"', [['a\r\nb', 'c\nd']]],
  ['"a\rb"', [['a\rb']]],
  ['"say ""hello""",""""', [['say "hello"', '"']]],
  ['""', [['']]],
  ['"",""\r\n', [['', '']]],
  ['\n\r\n\na\n\n', [['a']]],
  ["it's;a\ttest", [["it's;a\ttest"]]],
  ['a\0,b', [['a\0', 'b']]],
]
for (const [text, rows] of parsed) {
  test(`the CSV ${JSON.stringify(text)} is ${JSON.stringify(rows)}`, (t) => {
    t.deepEqual(rowsOf(text), rows)
  })
}

const AFTER = 'follows a closing quote, where a comma or the end of the line must be'
const INSIDE = 'is a quote in a field that does not begin with one: quote the whole field, and double the quotes in it'
const OPEN = 'is a quote that is never closed'
const LONE = 'is a carriage return without a line feed'
const refused: readonly (readonly [string, number, number, string])[] = [
  ['"', 1, 1, OPEN],
  ['"""', 1, 1, OPEN],
  ['a,"b\nc\nd', 1, 3, OPEN],
  ['a\nb\n"c\n\n",d\n,"', 6, 2, OPEN],
  ['"a"b', 1, 4, AFTER],
  ['"a" ,b', 1, 4, AFTER],
  ['a\r\n"b\r\nc"\r,d', 3, 3, AFTER],
  ['"a"\0', 1, 4, AFTER],
  ['a"b"', 1, 2, INSIDE],
  ['a\nb, "c"', 2, 4, INSIDE],
  ['a\rb', 1, 2, LONE],
  ['\r', 1, 1, LONE],
  ['a\n\rb', 2, 1, LONE],
  ['a\r', 1, 2, LONE],
]
for (const [text, line, column, detail] of refused) {
  test(`the CSV ${JSON.stringify(text)} is refused at line ${line}, column ${column}`, (t) => {
    t.deepEqual(parseCsv(text, MANY), E.left({ line, column, detail }))
  })
}

test('every row has the line on which it begins', (t) => {
  const read = parseCsv('a\r\n\r\n"b\r\nb\nb\rb",c\nd\n\n"e\n\n"\nf', MANY)
  t.deepEqual(E.isRight(read) && read.right.map(({ line, fields }) => [line, fields[0]?.[0]]), [
    [1, 'a'],
    [3, 'b'],
    [6, 'd'],
    [8, 'e'],
    [11, 'f'],
  ])
})

test('no more rows are read than asked for, and what follows is not looked at', (t) => {
  t.deepEqual(rowsOf('a\n\nb\n"c"d', 2), [['a'], ['b']])
  t.true(E.isLeft(parseCsv('a\n\nb\n"c"d', 3)))
})

const quote = (field: string): string => `"${field.replaceAll('"', '""')}"`
const mustQuote = (field: string): boolean => /[",\r\n]/.test(field)

const field = fc.string({
  unit: fc.oneof(fc.constantFrom('"', ',', '\r', '\n', '\r\n', ' '), anyCharacter),
  maxLength: 6,
})
const written = fc.record({ value: field, isQuoted: fc.boolean() })
const file = fc.record({
  rows: fc.array(fc.array(written, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
  lineBreak: fc.constantFrom('\n', '\r\n'),
  isEnded: fc.boolean(),
})

test('property: what is written as RFC 4180 says is read again, with its lines', (t) => {
  fc.assert(
    fc.property(file, ({ rows, lineBreak, isEnded }) => {
      const lines = rows.map((row) => {
        const isBlank = row.length === 1 && row[0]?.value === ''
        return row.map(({ value, isQuoted }) => (isQuoted || isBlank || mustQuote(value) ? quote(value) : value)).join()
      })
      const read = parseCsv(lines.join(lineBreak) + (isEnded ? lineBreak : ''), MANY)
      const beginnings = lines.map((_, n) => lines.slice(0, n).join(lineBreak).split('\n').length + (n > 0 ? 1 : 0))
      t.deepEqual(
        read,
        E.right(rows.map((row, n) => ({ line: beginnings[n] as number, fields: row.map(({ value }) => value) }))),
      )
    }),
    { numRuns: 1_000 },
  )
})

test('property: any text is read or refused at a place in it', (t) => {
  const text = fc.string({ unit: fc.constantFrom('"', '""', ',', '\r', '\n', '\r\n', 'a', ' '), maxLength: 20 })
  const seen = { read: 0, refused: 0 }
  fc.assert(
    fc.property(text, (any) => {
      const read = parseCsv(any, MANY)
      seen[E.isRight(read) ? 'read' : 'refused']++
      if (E.isRight(read)) return
      const { line, column } = read.left
      t.true(['"', '\r', 'a', ' '].includes(any.split('\n')[line - 1]?.[column - 1] ?? 'none'), JSON.stringify(any))
    }),
    { numRuns: 2_000 },
  )
  t.true(seen.read > 100 && seen.refused > 100)
})

const SIZE = 4_194_304
/** Text that takes many minutes if its time is quadratic, so that the runner's timeout ends the test. */
const awkward: readonly (readonly [string, string, number | string])[] = [
  ['quotes, even', '"'.repeat(SIZE), 1],
  ['quotes, odd', '"'.repeat(SIZE - 1), OPEN],
  ['commas', ','.repeat(SIZE), 1],
  ['line feeds', '\n'.repeat(SIZE), 0],
  ['line breaks within quotes', `"${'\r\n'.repeat(SIZE / 2 - 1)}"`, 1],
  ['short rows', 'a\n'.repeat(SIZE / 2), SIZE / 2],
  ['quoted fields', '"a",'.repeat(SIZE / 4), 1],
  ['quoted rows', '"\n"\n'.repeat(SIZE / 4), SIZE / 4],
  ['one field', 'a'.repeat(SIZE), 1],
  ['one field in quotes, not closed', `"${'a'.repeat(SIZE - 1)}`, OPEN],
]
for (const [what, text, expected] of awkward) {
  test(`4 MiB of ${what} take time in proportion`, (t) => {
    const read = parseCsv(text, SIZE)
    t.is(E.isRight(read) ? read.right.length : read.left.detail, expected)
  })
}
