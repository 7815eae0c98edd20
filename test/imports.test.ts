import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { offences, type Rule, type Tree } from './import-rules.ts'

const DOMAIN = 'src/domain/'
const PORT = 'src/event-store/event-store.ts'
/** Events as bytes, and their hash. */
const STORED = 'src/event-store/stored-event.ts'
/** Files as such, whatever they contain. */
const FILES = 'src/files/'
const TELEMETRY = 'src/telemetry/'
const CONFIG = 'src/config/'
const PURE = ['fp-ts', 'io-ts', 'temporal-polyfill']
/** For the layers between the network and the log. */
const OUTSIDE = {
  may: [DOMAIN, FILES, 'src/commands/', 'src/read-models/', PORT, 'src/users/'],
  mayType: ['src/vault/', 'projections/'],
}
/** For rooms that open others. */
const OPENED = ['src/http/', 'src/processes/', ...OUTSIDE.may]
const OPENED_TYPES = [...OUTSIDE.mayType, CONFIG, TELEMETRY]
const ROOMS = [
  ...['commands', 'event-store', 'read-models', 'vault', 'users', 'http', 'feed', 'audit', 'export', 'backup', 'copy'],
  ...['control', 'files', 'telemetry', 'domain', 'processes', 'gateway', 'config', 'accounts', 'machines'],
].map((room) => `src/${room}/`)

/** Which files may import which. */
const RULES: readonly Rule[] = [
  { files: DOMAIN, may: [DOMAIN], packages: PURE, pure: true },
  { files: 'projections/', may: ['projections/', DOMAIN], packages: PURE, pure: true },
  { files: FILES, may: [FILES] },
  { files: TELEMETRY, may: [TELEMETRY] },
  { files: 'src/control/', may: ['src/control/'] },
  { files: 'src/event-store/sqlite/', may: ['src/event-store/sqlite/', PORT, STORED, DOMAIN, FILES] },
  { files: 'src/event-store/eventstoredb/', may: ['src/event-store/eventstoredb/', PORT, STORED, DOMAIN, FILES] },
  { files: 'src/event-store/', may: [PORT, STORED, DOMAIN, 'src/files/expected-error.ts'] },
  { files: 'src/vault/', may: ['src/vault/', DOMAIN, FILES], mayType: [PORT, TELEMETRY] },
  { files: 'src/users/', may: ['src/users/', DOMAIN, FILES], mayType: [TELEMETRY] },
  { files: 'src/gateway/', may: ['src/gateway/', DOMAIN] },
  { files: 'src/commands/', may: ['src/commands/', DOMAIN, PORT, 'src/vault/'] },
  {
    files: 'src/processes/',
    may: ['src/processes/', DOMAIN, 'src/commands/', 'src/read-models/'],
    mayType: ['projections/', 'src/gateway/'],
  },
  { files: 'src/read-models/', may: ['src/read-models/', DOMAIN, PORT, STORED, FILES, 'projections/'] },
  { files: 'src/audit/', may: ['src/audit/', DOMAIN, 'projections/', PORT, STORED, FILES] },
  { files: 'src/feed/', may: ['src/feed/', ...OUTSIDE.may], mayType: OUTSIDE.mayType },
  { files: 'src/export/', may: ['src/export/', DOMAIN, PORT, STORED, 'src/feed/events/cloud-event.ts'] },
  {
    files: 'src/backup/',
    may: ['src/backup/', 'src/audit/', DOMAIN, 'projections/', 'src/event-store/', 'src/users/', 'src/vault/', FILES],
  },
  { files: 'src/copy/', may: ['src/copy/', 'src/audit/', DOMAIN, 'projections/', 'src/event-store/', 'src/vault/'] },
  { files: 'src/http/', may: ['src/http/', 'src/feed/', 'src/audit/', ...OUTSIDE.may], mayType: OUTSIDE.mayType },
  { files: 'src/config/checks/', may: [CONFIG, FILES, 'src/vault/', 'src/audit/', 'src/users/', 'src/backup/'] },
  {
    files: CONFIG,
    may: [
      CONFIG,
      'src/event-store/eventstoredb/server/address.ts',
      ...['scope', 'quota', 'role-mapping'].map((file) => `src/domain/user/${file}.ts`),
    ],
    mayType: ['src/domain/events/user.ts'],
  },
  { files: 'src/accounts/', may: ['src/accounts/', CONFIG, ...OPENED, 'src/vault/'], mayType: OPENED_TYPES },
  { files: 'src/machines/', may: ['src/machines/', 'src/accounts/', ...OPENED, 'src/gateway/'], mayType: OPENED_TYPES },
  { files: 'src/service/random.ts', may: [], mayType: [DOMAIN] },
  { files: 'src/service/node-settings.ts', may: [] },
  // The composition root, which picks the adapter. Only the rules below allow importing it.
  { files: 'src/service/', may: ['src/service/', ...ROOMS, 'projections/'] },
  { files: 'src/command-line/', may: ['src/command-line/', 'src/service/', ...ROOMS, 'projections/'] },
  { files: 'src/web/', may: ['src/web/'], packages: ['preact', 'htm', '@novnc/novnc', 'csv-parse'] },
  // Separate programs, which run in a container.
  { files: 'src/deploy/', may: [] },
  { files: 'src/main.ts', may: ['src/command-line/', 'src/service/node-settings.ts'] },
]

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const project: Tree = Object.fromEntries(
  globSync('{src,projections}/**/*.ts', { cwd: ROOT })
    .sort()
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(`${ROOT}/${path}`, 'utf8')]),
)

test('every source file obeys the import, purity and size rules', (t) => {
  t.true(Object.keys(project).length > 10, 'there are files to check')
  t.deepEqual(offences(project, RULES), [])
})

const domain = (source: string): Tree => ({ 'src/domain/a.ts': source, 'src/domain/b.ts': 'export const b = 1' })
const lines = (count: number, line: string): string => `${line}\n`.repeat(count)

const offending: readonly (readonly [string, Tree, readonly string[]])[] = [
  [
    'a domain file that imports HTTP code',
    { 'src/domain/a.ts': "import { b } from '../http/b.ts'", 'src/http/b.ts': 'export const b = 1' },
    ['src/domain/a.ts imports src/http/b.ts'],
  ],
  [
    'a command that imports an adapter',
    {
      'src/commands/a.ts':
        "import type { B } from '../event-store/sqlite/store.ts'\nimport { C } from '../event-store/event-store.ts'",
      'src/event-store/sqlite/store.ts': 'export type B = 1',
      'src/event-store/event-store.ts': 'export const C = 1',
    },
    ['src/commands/a.ts imports src/event-store/sqlite/store.ts'],
  ],
  [
    'a handler that imports vault code',
    {
      'src/http/a.ts': "import { type A, open } from '../vault/b.ts'\nimport { type A } from '../vault/b.ts'",
      'src/vault/b.ts': 'export const open = 1\nexport type A = 1',
    },
    ['src/http/a.ts imports more than types from src/vault/b.ts'],
  ],
  [
    'an import of the composition root, in any form,',
    {
      'src/http/a.ts': "const a = await import('../service/service.ts')",
      'src/feed/a.ts': "export { s } from '../service/service.ts'\nexport const f = 1",
      'src/audit/a.ts': "import '../main.ts'",
      'src/users/a.ts': "export type S = import('../service/service.ts').S",
      'src/command-line/a.ts': "import { s } from '../service/service.ts'",
      'src/main.ts': 'export const m = 1',
      'src/service/service.ts': 'export const s = 1\nexport type S = 1',
    },
    [
      'src/http/a.ts imports src/service/service.ts',
      'src/feed/a.ts imports src/service/service.ts',
      'src/audit/a.ts imports src/main.ts',
      'src/users/a.ts imports src/service/service.ts',
    ],
  ],
  [
    'a configuration file that imports domain code',
    { ...domain('export const a = 1'), 'src/config/a.ts': "import { b } from '../domain/b.ts'" },
    ['src/config/a.ts imports src/domain/b.ts'],
  ],
  [
    'an import of a missing file',
    domain("import { c } from './c.ts'"),
    ['src/domain/a.ts imports src/domain/c.ts, which is not there'],
  ],
  [
    'an impure package in the domain',
    domain("import fs from 'node:fs'\nimport Koa from 'koa'\nimport r from '@koa/router'"),
    ['src/domain/a.ts imports node:fs', 'src/domain/a.ts imports koa', 'src/domain/a.ts imports @koa/router'],
  ],
  [
    'a pair of folders that import each other',
    {
      'src/domain/a.ts': "import { b } from './sut/b.ts'\nexport const a = b",
      'src/domain/c.ts': 'export const c = 1',
      'src/domain/sut/b.ts': "import { c } from '../c.ts'\nexport const b = c",
    },
    ['src/domain -> src/domain/sut -> src/domain is a cycle'],
  ],
  [
    'a folder of 21 files',
    Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`src/domain/${n}.ts`, 'export const a = 1'])),
    ['src/domain has 21 files'],
  ],
  ['a file outside any folder', { 'src/a.ts': 'export const a = 1' }, ['src/a.ts has no rule']],
  ['a file in an unlisted folder', { 'src/helpers/a.ts': 'export const a = 1' }, ['src/helpers/a.ts has no rule']],
  [
    'a cycle of type imports',
    {
      'src/domain/a.ts': "import type { B } from './b.ts'\nexport type A = B",
      'src/domain/b.ts': "import type { C } from './c/c.ts'\nexport type B = C",
      'src/domain/c/c.ts': "import type { A } from '../a.ts'\nexport type C = A",
    },
    [
      'src/domain/a.ts -> src/domain/b.ts -> src/domain/c/c.ts -> src/domain/a.ts is a cycle',
      'src/domain -> src/domain/c -> src/domain is a cycle',
    ],
  ],
  [
    'a file that imports itself',
    domain("import { a } from './a.ts'"),
    ['src/domain/a.ts -> src/domain/a.ts is a cycle'],
  ],
  [
    'a barrel',
    domain("// all\nexport * from './b.ts'\nexport { b as c } from './b.ts'"),
    ['src/domain/a.ts is a barrel'],
  ],
  [
    'a barrel that imports and then exports',
    domain("import { b } from './b.ts'\nexport { b }"),
    ['src/domain/a.ts is a barrel'],
  ],
  ['a default export', domain('export default 1'), ['src/domain/a.ts has a default export']],
  [
    'a default export by renaming',
    domain('const a = 1\nexport { a as default }'),
    ['src/domain/a.ts has a default export'],
  ],
  [
    'a computed import',
    domain('const a = import(`./b.ts`)'),
    ['src/domain/a.ts has an import() of something computed'],
  ],
  ['a call of require()', domain("const a = require('node:fs')"), ['src/domain/a.ts has a require()']],
  ['an unterminated template literal', domain('const a = `b${'), ['src/domain/a.ts ends within `${']],
  ['a file of 300 lines', domain(lines(300, 'export const a = 1')), ['src/domain/a.ts has 300 lines']],
  [
    'a function of 60 lines',
    domain(`const f = (a: A): Promise<B> => {\n${lines(58, ' f()')}}`),
    ['src/domain/a.ts has a function of 60 lines'],
  ],
  [
    'a method of 60 lines',
    domain(`class A {\n  f(a: A): Promise<B> {\n${lines(58, ' f()')}  }\n}`),
    ['src/domain/a.ts has a function of 60 lines'],
  ],
]
for (const [what, tree, expected] of offending) {
  test(`${what} is reported`, (t) => {
    t.deepEqual(offences(tree, RULES), expected)
  })
}

const impure = [
  'Date.now()',
  'new Date()',
  'new Date',
  'Date()',
  'Math.random()',
  'performance.now()',
  'process.env.A',
  'Temporal.Now.instant()',
  'crypto.randomUUID()',
  'new Date(1).getHours()',
  'a.toLocaleString()',
  'new Intl.NumberFormat()',
]
for (const expression of impure) {
  test(`${expression} is reported in code that must be pure, inside a template too`, (t) => {
    for (const source of [`const a = ${expression}`, `const a = \`\${\`\${${expression}}\`}\``]) {
      for (const path of ['src/domain/a.ts', 'projections/a.ts']) {
        const found = offences({ [path]: source }, RULES)
        t.is(found.length, 1, source)
        t.true(found[0]?.startsWith(`${path} is not pure: `), found[0])
      }
      t.deepEqual(offences({ 'src/service/service.ts': source }, RULES), [])
    }
  })
}

test('code that only looks like an offence is not reported', (t) => {
  const innocent = [
    "import type { b } from './b.ts'\nimport * as E from 'fp-ts/lib/Either.js'",
    '// process.exit() and Date.now() make a domain impure',
    'export const processed = new Date(0).toISOString()',
    `const long = {\n${lines(70, '  a: 1,')}}`,
    `const f = () => {\n${lines(57, '  f()')}}`,
  ]
  t.deepEqual(offences(domain(innocent.join('\n')), RULES), [])
})

/** Files that a module names relative to itself, other than by importing them, and that neither exist nor are a cache. */
const missing = (path: string, source: string): readonly string[] =>
  [...source.matchAll(/import\.meta\.dirname, '([^']+)'|new URL\('([^']+)', import\.meta/g)].flatMap(
    ([, joined, named = joined as string]) =>
      named.includes('.cache/') || existsSync(join(ROOT, dirname(path), named)) ? [] : `${path} names ${named}`,
  )

test('every script and file that a module names relative to itself exists', (t) => {
  const modules = globSync('{src,projections,test}/**/*.{ts,js}', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  t.deepEqual(
    modules.flatMap((path) => missing(path, readFileSync(join(ROOT, path), 'utf8'))),
    [],
  )
  t.deepEqual(missing('src/main.ts', `new URL(${"'./gone.ts'"}, import.meta.url)`), ['src/main.ts names ./gone.ts'])
})

/** Lines that a page of the guide or a test may have at most; `src` has a stricter rule. */
const LINES_MAX = [
  { files: 'src/guide/*.md', most: 400 },
  { files: 'test/**/*.ts', most: 300 },
] as const

test('no test has more than 300 lines, and no chapter of the guide more than 400', (t) => {
  for (const { files, most } of LINES_MAX) {
    const paths = globSync(files, { cwd: ROOT, exclude: ['**/node_modules/**'] })
    const lengths = paths.map((path) => ({
      path,
      lines: readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1,
    }))
    t.true(lengths.length > 10, files)
    t.deepEqual(
      lengths.filter(({ lines }) => lines > most),
      [],
    )
  }
})
