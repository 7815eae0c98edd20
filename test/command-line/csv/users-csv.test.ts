import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { CSV_BYTES_MAX, describeCsvProblem } from '../../../src/command-line/csv/csv.ts'
import { type ImportedUser, readUsersCsv } from '../../../src/command-line/csv/users-csv.ts'
import type { Role } from '../../../src/domain/events/user.ts'
import { formatScope } from '../../../src/domain/user/scope.ts'
import { withoutApostrophe } from '../../../src/domain/values/csv-field.ts'
import { foldName, isNewUserName } from '../../../src/domain/values/user-name.ts'
import { HASHED_ROWS_MAX } from '../../../src/http/codecs/imports.ts'
import { cheapHash } from '../../users/builders.ts'

const read = (file: string | Uint8Array) => readUsersCsv(typeof file === 'string' ? Buffer.from(file) : file)

const usersOf = (file: string | Uint8Array): readonly ImportedUser[] => {
  const users = read(file)
  if (E.isLeft(users)) throw new Error(users.left.listed.map(describeCsvProblem).join('; '))
  return users.right
}

const problemsOf = (file: string | Uint8Array): readonly string[] => {
  const users = read(file)
  return E.isLeft(users) ? users.left.listed.map(describeCsvProblem) : ['read']
}

const anUser = (line: number, name: string, role: Role = 'tester', more: Partial<ImportedUser> = {}): ImportedUser => ({
  ...{ line, name, role, quota: null, scope: '' },
  ...more,
})

test('users are read from rows, whatever the order of columns', (t) => {
  const file = [
    'scope,role,quota,name',
    ',administrator,,Ann Bee',
    '"team=qa1,rack=4",tester,"hours_per_week=40,reservations_max=none",bob',
    'team=qa1,tester,default,"O\'Neill, ""Jack"""',
    ',auditor,default,Zoë 😀',
  ].join('\n')
  t.deepEqual(usersOf(file), [
    anUser(2, 'Ann Bee', 'administrator'),
    anUser(3, 'bob', 'tester', { quota: { hours_per_week: 40, reservations_max: null }, scope: 'rack=4,team=qa1' }),
    anUser(4, 'O\'Neill, "Jack"', 'tester', { scope: 'team=qa1' }),
    anUser(5, 'Zoë 😀', 'auditor'),
  ])
})

test('a user from elsewhere keeps its id and the hash of its password', async (t) => {
  const hash = await cheapHash('correct horse')
  const file = `id,hash,name,role\n7,"${hash}",anna,tester\n,,bob,auditor\n`
  t.deepEqual(usersOf(file), [anUser(2, 'anna', 'tester', { id: '7', hash }), anUser(3, 'bob', 'auditor')])
})

test('a file has a byte order mark or not, and LF or CRLF', (t) => {
  const expected = [anUser(2, 'anna'), anUser(4, 'bob')]
  for (const mark of ['', '\ufeff']) {
    for (const lineBreak of ['\n', '\r\n']) {
      for (const end of ['', lineBreak, lineBreak.repeat(3)]) {
        t.deepEqual(usersOf(`${mark}${['name,role', 'anna,tester', '', 'bob,tester'].join(lineBreak)}${end}`), expected)
      }
    }
  }
  t.deepEqual(usersOf('"name","role"\n"anna","tester"'), [anUser(2, 'anna')])
  t.deepEqual(usersOf('name,role'), [])
})

const NAME =
  'must be 1 to 128 characters, without ":", invisible characters or lone surrogates, without white space at either end, not begin with "berth_", and not mix scripts, such as Latin and Cyrillic'
const ROLE = 'must be one of administrator, tester, auditor'
const refused: readonly (readonly [string, string, readonly string[]])[] = [
  ['an empty file', '', ['the file must begin with a row that names its columns: name, role, quota, scope, id, hash']],
  ['no role', 'name,scope', ['line 1 must name the column role']],
  [
    'semicolons',
    'name;role\nanna;tester',
    [
      'line 1 must name only the columns name, role, quota, scope, id, hash',
      'line 1 must name the column name',
      'line 1 must name the column role',
    ],
  ],
  ['a column twice', 'name,role,name', ['line 1 must name each column once']],
  [
    'an unknown column',
    '\nname,role,password',
    ['line 2 must name only the columns name, role, quota, scope, id, hash'],
  ],
  [
    'too few and too many fields',
    'name,role\nanna\nbob,tester,\n"anna ","bishop",""',
    [
      'line 2 has 1 fields; the header names 2',
      'line 3 has 3 fields; the header names 2',
      'line 4 has 3 fields; the header names 2',
    ],
  ],
  [
    'a problem in every field',
    'name,role,quota,scope\n" a",Tester,40,team\n,,,\n',
    [
      `line 2, column name: ${NAME}`,
      `line 2, column role: ${ROLE}`,
      'line 2, column quota: must be "default", or limits like hours_per_week=40,reservations_max=20,priority_max=none',
      'line 2, column scope: must be like site=berlin or site=berlin,rack=4, with %25, %2C and %3D for "%", "," and "=" in values',
      `line 3, column name: ${NAME}`,
      `line 3, column role: ${ROLE}`,
    ],
  ],
  [
    'an id and a hash that are none',
    'name,role,id,hash\nanna,tester,a/b,$argon2i$x\n',
    [
      'line 2, column id: must be an id: 1 to 128 printable characters without /',
      'line 2, column hash: must be a hash of argon2id as a PHC string',
    ],
  ],
  [
    'a quota and a scope of others',
    'name,role,quota,scope\na,auditor,priority_max=1,\nb,administrator,,a=b\n',
    ['line 2, column quota: is for testers only', 'line 3, column scope: is for testers only'],
  ],
  [
    'a name twice',
    'name,role\nstraße,tester\n\nSTRASSE,auditor\nbob,x\nBOB,tester\nStrasse,tester',
    [
      'line 4, column name: is the same as in line 2; upper and lower case count as the same',
      `line 5, column role: ${ROLE}`,
      'line 6, column name: is the same as in line 5; upper and lower case count as the same',
      'line 7, column name: is the same as in line 2; upper and lower case count as the same',
    ],
  ],
  [
    'a line break in a name',
    'name,role\r\n"a\r\nb",tester\r\nc,x',
    [`line 2, column name: ${NAME}`, `line 4, column role: ${ROLE}`],
  ],
  [
    'a quote that is not closed',
    'name,role\nanna,x\nbob,"tester\n',
    ['line 3, column 5: is a quote that is never closed'],
  ],
]
for (const [what, file, problems] of refused) {
  test(`a file with ${what} is refused with the lines and columns`, (t) => {
    t.deepEqual(problemsOf(file), problems)
  })
}

test('lines that are not UTF-8 are named', (t) => {
  t.deepEqual(problemsOf(Buffer.from('name,role\nanna,tester\nJosé,tester\nbob,tester\nZoë,tester', 'latin1')), [
    'line 3 must be in UTF-8',
    'line 5 must be in UTF-8',
  ])
  t.deepEqual(problemsOf(Buffer.from('\ufeffname', 'utf16le')), ['line 1 must be in UTF-8'])
})

test('a file has at most 500 users and 4 MiB', (t) => {
  const row = (n: number): string => `user-${n},tester`
  const rows = Array.from({ length: HASHED_ROWS_MAX }, (_, n) => row(n))
  const full = ['name,role', ...rows].join('\n')
  t.is(usersOf(full).length, 500)
  t.is(usersOf(`${full}\n\n`).length, 500)
  t.deepEqual(problemsOf(`${full}\n\n${row(500)}`), [
    'line 503 is beyond the 500 users that a file may have: split the file',
  ])
  t.is(usersOf(full.padEnd(CSV_BYTES_MAX, '\n')).length, 500)
  t.deepEqual(problemsOf(full.padEnd(CSV_BYTES_MAX + 1, '\n')), ['the file must be at most 4 MiB'])
})

test('of many problems the first hundred are listed, and all counted', (t) => {
  const users = read(`name,role\n${'a:b,x\n'.repeat(HASHED_ROWS_MAX)}`)
  if (E.isRight(users)) return t.fail()
  t.is(users.left.total, 1_000)
  t.is(users.left.listed.length, 100)
  t.deepEqual(users.left.listed.at(-1), { line: 51, column: 'role', detail: ROLE })
})

/** Files of the greatest size, which take many minutes if their time is quadratic, so that the runner's timeout ends the test. */
const fill = (beginning: string, text: string, end = ''): string =>
  beginning + text.repeat((CSV_BYTES_MAX - beginning.length - end.length) / text.length) + end
const awkward: readonly (readonly [string, string])[] = [
  ['one name of spaces', fill('name,role\na', ' ', 'b,tester')],
  ['columns', fill('', 'name,')],
  ['commas in a row', fill('name,role\n', ',')],
  ['one quota', fill('name,role,quota\nanna,tester,"', 'hours_per_week=1,', '"')],
  ['one scope', fill('name,role,scope\nanna,tester,"', ' ', '"')],
  ['tags', fill('name,role,scope\nanna,tester,"', 'a=b,', '"')],
  ['bytes that are not UTF-8', fill('', '\ufffd\n')],
]
for (const [what, file] of awkward) {
  test(`thorough: 4 MiB of ${what} are refused in time in proportion`, (t) => {
    const bytes = Buffer.from(file, what.startsWith('bytes') ? 'latin1' : 'utf8')
    t.true(bytes.length > CSV_BYTES_MAX - 20)
    t.true(E.isLeft(read(bytes)))
  })
}

test('no problem repeats the file', (t) => {
  const canary = 'CaNaRy'
  const file = fc
    .array(
      fc.array(fc.constantFrom('name', 'role', canary, `"${canary}`, `${canary}"`, `${canary}=1`, 'a'), {
        maxLength: 4,
      }),
    )
    .map((rows) => rows.map((row) => row.join()).join('\n'))
  fc.assert(fc.property(file, (text) => !problemsOf(text).join().includes(canary)))
  t.false(problemsOf(`name,role,quota,scope\n:${canary},${canary},${canary},${canary}`).join().includes(canary))
})

const quoted = (field: string): string => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => isNewUserName(text) && withoutApostrophe(text) === text)
const tester = fc.record({
  name,
  role: fc.constant('tester' as const),
  quota: fc.option(
    fc.record({ hours_per_week: fc.nat(168), priority_max: fc.constantFrom(null, 0, 100) }, { noNullPrototype: true }),
  ),
  scope: fc
    .dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.stringMatching(/^[ -~]{0,5}$/), { maxKeys: 3 })
    .map((tags) => formatScope(tags)),
})
const other = fc.record({
  ...{ name, role: fc.constantFrom('administrator' as const, 'auditor' as const) },
  ...{ quota: fc.constant(null), scope: fc.constant('') },
})

test('property: users are read as they were written', (t) => {
  const users = fc.uniqueArray(fc.oneof(tester, other), { selector: (user) => foldName(user.name), maxLength: 10 })
  fc.assert(
    fc.property(users, (written) => {
      const rows = written.map(({ quota, scope, ...user }) => {
        const limits = Object.entries(quota ?? {}).map(([limit, value]) => `${limit}=${value ?? 'none'}`)
        return [user.name, user.role, limits.join() || 'default', scope].map(quoted).join()
      })
      const file = `\ufeff${['name,role,quota,scope', ...rows].join('\r\n')}\r\n`
      t.deepEqual(
        usersOf(file),
        written.map((user, n) => ({ line: n + 2, ...user })),
      )
    }),
    { numRuns: 300 },
  )
})
