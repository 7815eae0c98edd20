import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { parseCsv, readCsvFile } from '../../../src/command-line/csv/csv.ts'
import { withoutApostrophe } from '../../../src/domain/values/csv-field.ts'
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
  ['"a\r\nb","c\nd"', [['a\nb', 'c\nd']]],
  ['"say ""hello""",""""', [['say "hello"', '"']]],
  ['""', [['']]],
  ['"",""\r\n', [['', '']]],
  ['\n\r\n\na\n\n', [['a']]],
  ["it's;a\ttest", [["it's;a\ttest"]]],
  ['"",a\n\n"é😀\n"', [['', 'a'], ['é😀\n']]],
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
const NULL = 'is a null character'
const refused: readonly (readonly [string, number, number, string])[] = [
  ['"', 1, 1, OPEN],
  ['"""', 1, 1, OPEN],
  ['a,"b\nc\nd', 1, 3, OPEN],
  ['a\nb\n"c\n\n",d\n,"', 6, 2, OPEN],
  ['"a"b', 1, 4, AFTER],
  ['"a" ,b', 1, 4, AFTER],
  ['a\r\n"b\r\nc"\r,d', 3, 3, LONE],
  ['"a"\0', 1, 4, NULL],
  ['a\nb\0"', 2, 2, NULL],
  ['"a\rb"', 1, 3, LONE],
  ['é,"ü"ö', 1, 6, AFTER],
  ['"é\r\n😀"\r\n\r\n\r\n"""😀" ', 5, 7, AFTER],
  ['a\n\n"b', 3, 1, OPEN],
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
  const read = parseCsv('a\r\n\r\n"b\r\nb\nb\nb",c\nd\n\n"e\n\n"\nf', MANY)
  t.deepEqual(E.isRight(read) && read.right.map(({ line, fields }) => [line, fields[0]?.[0]]), [
    [1, 'a'],
    [3, 'b'],
    [7, 'd'],
    [9, 'e'],
    [12, 'f'],
  ])
})

test('no more rows are read than asked for, and what follows is not looked at', (t) => {
  t.deepEqual(rowsOf('a\n\nb\n"c"d', 2), [['a'], ['b']])
  t.true(E.isLeft(parseCsv('a\n\nb\n"c"d', 3)))
})

const quote = (field: string): string => `"${field.replaceAll('"', '""')}"`
const mustQuote = (field: string): boolean => /[",\r\n]/.test(field)

const field = fc
  .string({ unit: fc.oneof(fc.constantFrom('"', ',', '\n', '\r\n', ' '), anyCharacter), maxLength: 6 })
  .map((text) => text.replaceAll(/\r(?!\n)|\0/g, ''))
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
        E.right(
          rows.map((row, n) => ({
            line: beginnings[n] as number,
            fields: row.map(({ value }) => withoutApostrophe(value.replaceAll('\r\n', '\n'))),
          })),
        ),
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
      const { line = 0, column } = read.left
      t.true(
        ['"', '\r', 'a', ' '].includes(any.split('\n')[line - 1]?.[Number(column) - 1] ?? 'none'),
        JSON.stringify(any),
      )
    }),
    { numRuns: 2_000 },
  )
  t.true(seen.read > 100 && seen.refused > 100)
})

const SIZE = 4_194_304
/** Faults that are found at the end of a text, which take minutes if the time is quadratic. */
const awkward: readonly (readonly [string, string, string])[] = [
  ['quotes', `${'"'.repeat(SIZE)}a`, AFTER],
  ['line breaks', `${'\r\n'.repeat(SIZE / 2)}a"`, INSIDE],
  ['line breaks in quotes', `"${'\r\n'.repeat(SIZE / 2)}`, OPEN],
]
for (const [what, text, detail] of awkward) {
  test(`thorough: the fault behind 4 MiB of ${what} is found in time in proportion`, (t) => {
    t.like(parseCsv(text, MANY), { left: { detail } })
  })
}

test('a file without an end is refused', async (t) => {
  await t.throwsAsync(readCsvFile('/dev/zero'), { message: '/dev/zero is larger than 4 MiB' })
})

test('the apostrophe before what a spreadsheet would take for a formula is not a part of the field', (t) => {
  const read = parseCsv("'=1,'-2,''=3,'a,=4\n", MANY)
  t.deepEqual(E.isRight(read) && read.right[0]?.fields, ['=1', '-2', "'=3", "'a", '=4'])
})
