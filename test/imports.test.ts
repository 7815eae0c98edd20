import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { offences, type Rule, type Tree } from './import-rules.ts'

const DOMAIN = 'src/domain/'
const PORT = 'src/event-store/event-store.ts'
/** What an event is as bytes, and their hash. */
const STORED = ['src/event-store/stored-event.ts', 'src/event-store/plain-event.ts']
/** What deals with files as such, whatever is in them. */
const FILES = 'src/files/'
const TELEMETRY = 'src/telemetry/'
const PURE = ['fp-ts', 'io-ts', 'temporal-polyfill']
/** What stands between the wire and the log. */
const OUTSIDE = {
  may: [DOMAIN, 'src/commands/', 'src/read-models/', PORT, 'src/users/'],
  mayType: ['src/vault/', 'projections/'],
}
const PARTS = ['commands', 'event-store', 'read-models', 'vault', 'users', 'http', 'feed', 'audit', 'export'].map(
  (at) => `src/${at}/`,
)
const CONFIG = ['src/config.ts', 'src/event-store-config.ts']
/** What holds a configuration against the rest of the project. */
const CHECKS = ['src/key-checks.ts', 'src/check-config.ts']
const EVERYTHING = [DOMAIN, 'projections/', ...PARTS, ...CONFIG, 'src/open-store.ts', FILES, 'src/random.ts']

/** Who may import whom. The same picture stands in the README's section on the architecture. */
const RULES: readonly Rule[] = [
  { files: DOMAIN, may: [DOMAIN], packages: PURE, pure: true },
  { files: 'projections/', may: ['projections/', DOMAIN], packages: PURE, pure: true },
  { files: 'src/event-store/', may: ['src/event-store/', DOMAIN, FILES], mayType: ['src/eventstoredb-address.ts'] },
  { files: 'src/vault/', may: ['src/vault/', DOMAIN, FILES], mayType: [PORT, TELEMETRY] },
  { files: 'src/users/', may: ['src/users/', DOMAIN, FILES], mayType: [TELEMETRY] },
  { files: 'src/commands/', may: ['src/commands/', DOMAIN, PORT, 'src/vault/'] },
  { files: 'src/read-models/', may: ['src/read-models/', DOMAIN, PORT, ...STORED, FILES, 'projections/'] },
  { files: 'src/http/', may: ['src/http/', 'src/feed/', 'src/audit/', ...OUTSIDE.may], mayType: OUTSIDE.mayType },
  { files: 'src/feed/', may: ['src/feed/', ...OUTSIDE.may], mayType: OUTSIDE.mayType },
  { files: 'src/audit/', may: ['src/audit/', DOMAIN, 'projections/', PORT, ...STORED, FILES] },
  { files: 'src/export/', may: ['src/export/', DOMAIN, PORT, ...STORED, 'src/feed/cloud-event.ts'] },
  {
    files: 'src/config.ts',
    may: ['src/unknown-variables.ts', 'src/address-ranges.ts', 'src/event-store-config.ts', 'src/config-duration.ts'],
  },
  { files: 'src/address-ranges.ts', may: [] },
  { files: 'src/config-duration.ts', may: [] },
  { files: 'src/unknown-variables.ts', may: [] },
  { files: 'src/event-store-config.ts', may: ['src/eventstoredb-address.ts'] },
  { files: 'src/eventstoredb-address.ts', may: [] },
  { files: 'src/key-checks.ts', may: ['src/vault/', 'src/audit/'], mayType: CONFIG },
  { files: 'src/check-config.ts', may: ['src/vault/', 'src/audit/', 'src/users/'], mayType: CONFIG },
  { files: FILES, may: [FILES] },
  { files: 'src/control/', may: ['src/control/'] },
  { files: TELEMETRY, may: [TELEMETRY] },
  { files: 'src/world.ts', may: [], mayType: [DOMAIN, PORT, 'src/http/', 'src/feed/'] },
  { files: 'src/random.ts', may: [], mayType: [DOMAIN] },
  {
    files: 'src/control-handlers.ts',
    may: ['src/commands/', DOMAIN, 'src/control/'],
    mayType: [...CONFIG, PORT, 'src/parts.ts', 'src/world.ts'],
  },
  {
    files: 'src/clock.ts',
    may: ['src/commands/', DOMAIN],
    mayType: [...CONFIG, PORT, TELEMETRY, 'src/world.ts'],
  },
  // Where an adapter is picked.
  { files: 'src/open-store.ts', may: [DOMAIN, 'src/event-store/'], mayType: CONFIG },
  // The composition root: no rule lets anybody else import these.
  {
    files: 'src/service.ts',
    may: [
      ...EVERYTHING,
      ...CHECKS,
      TELEMETRY,
      'src/clock.ts',
      'src/secret-watch.ts',
      'src/lost-keys.ts',
      'src/world.ts',
      'src/parts.ts',
      'src/assemble.ts',
    ],
  },
  {
    files: 'src/assemble.ts',
    may: [...EVERYTHING, TELEMETRY, 'src/world.ts', 'src/parts.ts', 'src/handlers.ts', 'src/control-handlers.ts'],
  },
  { files: 'src/handlers.ts', may: [...EVERYTHING, 'src/parts.ts'] },
  { files: 'src/parts.ts', may: [...EVERYTHING, TELEMETRY] },
  { files: 'src/lost-keys.ts', may: ['src/audit/', 'src/backup/'] },
  {
    files: 'src/secret-watch.ts',
    may: ['src/vault/', 'src/assemble.ts'],
    mayType: [TELEMETRY, 'src/world.ts', 'src/parts.ts'],
  },
  { files: 'src/welcome.ts', may: [], mayType: ['src/users/'] },
  { files: 'src/serve.ts', may: [...EVERYTHING, TELEMETRY, 'src/world.ts', 'src/service.ts', 'src/welcome.ts'] },
  {
    files: 'src/backup/',
    may: ['src/backup/', 'src/audit/', DOMAIN, 'projections/', 'src/event-store/', 'src/users/', 'src/vault/', FILES],
  },
  { files: 'src/copy/', may: ['src/copy/', 'src/audit/', DOMAIN, 'projections/', 'src/event-store/', 'src/vault/'] },
  {
    files: 'src/command-line/',
    may: [...EVERYTHING, ...CHECKS, 'src/command-line/', 'src/backup/', 'src/control/', 'src/copy/', 'src/serve.ts'],
  },
  { files: 'src/heap.ts', may: [] },
  { files: 'src/main.ts', may: ['src/command-line/', 'src/heap.ts'] },
]

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const project: Tree = Object.fromEntries(
  globSync('{src,projections}/**/*.ts', { cwd: ROOT })
    .sort()
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(`${ROOT}/${path}`, 'utf8')]),
)

test('every file of the project keeps the rules of its house', (t) => {
  t.true(Object.keys(project).length > 10, 'there are files to check')
  t.deepEqual(offences(project, RULES), [])
})

const domain = (source: string): Tree => ({ 'src/domain/a.ts': source, 'src/domain/b.ts': 'export const b = 1' })
const lines = (count: number, line: string): string => `${line}\n`.repeat(count)

const offending: readonly (readonly [string, Tree, readonly string[]])[] = [
  [
    'a domain that knows of HTTP',
    { 'src/domain/a.ts': "import { b } from '../http/b.ts'", 'src/http/b.ts': 'export const b = 1' },
    ['src/domain/a.ts imports src/http/b.ts'],
  ],
  [
    'a command that picks an adapter',
    {
      'src/commands/a.ts':
        "import type { B } from '../event-store/sqlite.ts'\nimport { C } from '../event-store/event-store.ts'",
      'src/event-store/sqlite.ts': 'export type B = 1',
      'src/event-store/event-store.ts': 'export const C = 1',
    },
    ['src/commands/a.ts imports src/event-store/sqlite.ts'],
  ],
  [
    'a handler that opens the vault',
    {
      'src/http/a.ts': "import { type A, open } from '../vault/b.ts'\nimport { type A } from '../vault/b.ts'",
      'src/vault/b.ts': 'export const open = 1\nexport type A = 1',
    },
    ['src/http/a.ts imports more than types from src/vault/b.ts'],
  ],
  [
    'an import of the composition root, by whichever way',
    {
      'src/http/a.ts': "const a = await import('../service.ts')",
      'src/feed/a.ts': "export { s } from '../service.ts'\nexport const f = 1",
      'src/audit/a.ts': "import '../main.ts'",
      'src/users/a.ts': "export type S = import('../service.ts').S",
      'src/serve.ts': "import { s } from './service.ts'",
      'src/main.ts': 'export const m = 1',
      'src/service.ts': 'export const s = 1\nexport type S = 1',
    },
    [
      'src/http/a.ts imports src/service.ts',
      'src/feed/a.ts imports src/service.ts',
      'src/audit/a.ts imports src/main.ts',
      'src/users/a.ts imports src/service.ts',
    ],
  ],
  [
    'a configuration that imports',
    { ...domain('export const a = 1'), 'src/config.ts': "import { b } from './domain/b.ts'" },
    ['src/config.ts imports src/domain/b.ts'],
  ],
  [
    'an import of a file that is not there',
    domain("import { c } from './c.ts'"),
    ['src/domain/a.ts imports src/domain/c.ts, which is not there'],
  ],
  [
    'a package with its own clock in the domain',
    domain("import fs from 'node:fs'\nimport Koa from 'koa'\nimport r from '@koa/router'"),
    ['src/domain/a.ts imports node:fs', 'src/domain/a.ts imports koa', 'src/domain/a.ts imports @koa/router'],
  ],
  ['a file in no folder of the plan', { 'src/helpers/a.ts': 'export const a = 1' }, ['src/helpers/a.ts has no rule']],
  [
    'a cycle, of types too',
    {
      'src/domain/a.ts': "import type { B } from './b.ts'\nexport type A = B",
      'src/domain/b.ts': "import type { C } from './c/c.ts'\nexport type B = C",
      'src/domain/c/c.ts': "import type { A } from '../a.ts'\nexport type C = A",
    },
    ['src/domain/a.ts -> src/domain/b.ts -> src/domain/c/c.ts -> src/domain/a.ts is a cycle'],
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
  ['a barrel in two steps', domain("import { b } from './b.ts'\nexport { b }"), ['src/domain/a.ts is a barrel']],
  ['a default export', domain('export default 1'), ['src/domain/a.ts has a default export']],
  [
    'a default export by another name',
    domain('const a = 1\nexport { a as default }'),
    ['src/domain/a.ts has a default export'],
  ],
  [
    'a computed import',
    domain('const a = import(`./b.ts`)'),
    ['src/domain/a.ts has an import() of something computed'],
  ],
  ['a required module', domain("const a = require('node:fs')"), ['src/domain/a.ts has a require()']],
  ['a literal without its end', domain('const a = `b${'), ['src/domain/a.ts ends within `${']],
  ['a file of 200 lines', domain(lines(200, 'export const a = 1')), ['src/domain/a.ts has 200 lines']],
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
  test(`${what} is found out`, (t) => {
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
  test(`${expression} is found out where code has to be pure, within a template too`, (t) => {
    for (const source of [`const a = ${expression}`, `const a = \`\${\`\${${expression}}\`}\``]) {
      for (const path of ['src/domain/a.ts', 'projections/a.ts']) {
        const found = offences({ [path]: source }, RULES)
        t.is(found.length, 1, source)
        t.true(found[0]?.startsWith(`${path} is not pure: `), found[0])
      }
      t.deepEqual(offences({ 'src/service.ts': source }, RULES), [])
    }
  })
}

test('what only looks like an offence is none', (t) => {
  const innocent = [
    "import type { b } from './b.ts'\nimport * as E from 'fp-ts/lib/Either.js'",
    '// process.exit() and Date.now() make a domain impure',
    'export const processed = new Date(0).toISOString()',
    `const long = {\n${lines(70, '  a: 1,')}}`,
    `const f = () => {\n${lines(57, '  f()')}}`,
  ]
  t.deepEqual(offences(domain(innocent.join('\n')), RULES), [])
})
