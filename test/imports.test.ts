import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Source files by their path from the project's root. */
type Tree = Readonly<Record<string, string>>

const project: Tree = Object.fromEntries(
  globSync('{src,projections}/**/*.ts', { cwd: ROOT })
    .sort()
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(join(ROOT, path), 'utf8')]),
)

const foldersBetween = ([path, source]: readonly [string, string]): readonly (readonly [string, string])[] => {
  const from = posix.dirname(path)
  return [...source.matchAll(/\b(?:from|import\(|import) ?'(\.[^']+)'/g)]
    .map(([, specifier]) => posix.join(from, posix.dirname(specifier as string)))
    .flatMap((to) => (to === from ? [] : [[from, to] as const]))
}

/** Folders that import each other, directly or through others; types count too. Biome knows cycles of files only. */
const folderCycles = (tree: Tree): readonly string[] => {
  const imported = Map.groupBy(Object.entries(tree).flatMap(foldersBetween), ([from]) => from)
  const done = new Set<string>()
  const found: string[] = []
  const visit = (folder: string, trail: readonly string[]): void => {
    if (trail.includes(folder)) found.push([...trail.slice(trail.indexOf(folder)), folder].join(' -> '))
    if (trail.includes(folder) || done.has(folder)) return
    for (const [, to] of imported.get(folder) ?? []) visit(to, [...trail, folder])
    done.add(folder)
  }
  for (const folder of imported.keys()) visit(folder, [])
  return found
}

test('no folders of the source import each other', (t) => {
  t.deepEqual(folderCycles(project), [])
  const files = {
    'src/domain/a.ts': "import { b } from './sut/b.ts'\nexport const a = b",
    'src/domain/c.ts': 'export const c = 1',
    'src/domain/sut/b.ts': "import type { c } from '../c.ts'\nexport const b = c",
  }
  t.deepEqual(folderCycles(files), ['src/domain -> src/domain/sut -> src/domain'])
})

/** The most files a folder may have. */
const FOLDER_FILES = 15
/** Folders that are still to be divided, and may not grow. */
const CROWDED: Readonly<Record<string, number>> = {
  'src/read-models/lists': 16,
}
/** `biome/imports.grit` reads imports down to this depth. */
const DEPTH = 5

test('no folder of the source is crowded, and none lies deeper than the import rules reach', (t) => {
  const folders = Map.groupBy(Object.keys(project), posix.dirname)
  t.true(folders.size > 10)
  for (const [folder, { length }] of folders) {
    t.true(length <= (CROWDED[folder] ?? FOLDER_FILES), `${folder} has ${length} files`)
    t.true(folder.split('/').length <= DEPTH, folder)
  }
})

const lines = (count: number, line: string): string => `${line}\n`.repeat(count)
const exported = 'export const a = 1'

/** Files that break one rule each, and the rule: the name of Biome's, or what a plugin says. */
const OFFENCES: readonly (readonly [path: string, source: string, rule: string])[] = [
  ['src/domain/a.ts', "import { b } from '../http/b.ts'", 'may not import http/b.ts'],
  ['src/domain/sut/a.ts', "import { b } from '../../../projections/b.ts'", 'may not import ../projections/b.ts'],
  ['src/domain/b.ts', "import fs from 'node:fs'", 'may not import node:fs'],
  ['src/domain/c.ts', "import Koa from 'koa'", 'may not import koa'],
  ['src/web/parts/a.ts', "import r from '@koa/router'", 'may not import @koa/router'],
  ['src/web/machines/a.ts', "import { b } from '../../machines/b.ts'", 'may not import machines/b.ts'],
  [
    'src/commands/a.ts',
    "import type { B } from '../event-store/sqlite/b.ts'",
    'may not import event-store/sqlite/b.ts',
  ],
  ['src/event-store/sqlite/a.ts', "import { b } from '../eventstoredb/b.ts'", 'may not import eventstoredb/b.ts'],
  ['src/event-store/a.ts', "import { b } from './sqlite/b.ts'", 'may not import sqlite/b.ts'],
  ['src/client/a.ts', "import { b } from '../domain/b.ts'", 'may not import domain/b.ts'],
  ['src/client/b.ts', "import * as E from 'fp-ts/lib/Either.js'", 'may not import fp-ts/lib/Either.js'],
  ['src/config/a.ts', "import { b } from '../domain/b.ts'", 'may not import domain/b.ts'],
  ['src/helpers/a.ts', "import { b } from '../domain/b.ts'", 'may not import domain/b.ts'],
  ['src/http/a.ts', "import { b } from '../vault/b.ts'", 'may not import vault/b.ts'],
  ['src/http/b.ts', "import { type A, b } from '../vault/b.ts'", 'may not import vault/b.ts'],
  ['src/http/c.ts', "export { b } from '../vault/b.ts'", 'may not import vault/b.ts'],
  ['src/http/routes/a.ts', "const s = await import('../../service/s.ts')", 'may not import service/s.ts'],
  ['src/feed/a.ts', "export * from '../service/s.ts'", 'may not import service/s.ts'],
  ['src/audit/a.ts', "import '../main.ts'", 'may not import main.ts'],
  ['src/service/b.ts', "import '../service/../main.ts'", "may not import '../service/../main.ts'"],
  ['src/service/c.ts', "import './../main.ts'", "may not import './../main.ts'"],
  ['src/users/a.ts', "export type S = import('../service/s.ts').S", 'Import the type at the top'],
  ['src/users/b.ts', 'const a = import(`./b.ts`)', 'Name the imported file'],
  ['src/service/a.ts', "import { b } from '../command-line/b.ts'", 'may not import command-line/b.ts'],
  ['src/service/node-settings.ts', "import { b } from './service.ts'", 'may not import service.ts'],
  ['src/main.ts', "import { b } from './service/service.ts'", 'may not import service/service.ts'],
  ['projections/a.ts', "import { b } from '../src/read-models/b.ts'", 'may not import src/read-models/b.ts'],
  ['src/files/a.ts', "import type { B } from './b.ts'\nexport type A = B", 'noImportCycles'],
  ['src/files/b.ts', "import type { A } from './a.ts'\nexport type B = A", 'noImportCycles'],
  ['src/files/c.ts', "import { a } from './c.ts'", 'noSelfImport'],
  ['src/files/d.ts', "// all\nexport * from './b.ts'", 'noBarrelFile'],
  ['src/files/e.ts', 'export default 1', 'noDefaultExport'],
  ['src/files/f.ts', 'const a = 1\nexport { a as default }', 'noDefaultExport'],
  ['src/files/g.ts', "const a = require('node:fs')", 'noCommonJs'],
  ['src/files/h.ts', lines(301, exported), 'noExcessiveLinesPerFile'],
  ['test/h.test.ts', lines(301, exported), 'noExcessiveLinesPerFile'],
  ['src/files/i.ts', `const f = (a: A): Promise<B> => {\n${lines(61, ' f()')}}`, 'noExcessiveLinesPerFunction'],
  ['src/files/j.ts', `class A {\n  f(): B {\n${lines(61, ' f()')}  }\n}`, 'noExcessiveLinesPerFunction'],
  ...[
    ...['Date.now()', 'new Date()', 'new Date', 'Date()', 'Math.random()', 'performance.now()', 'process.env.A'],
    ...['Temporal.Now.instant()', 'crypto.randomUUID()', 'new Date(1).getHours()', 'a.toLocaleString()'],
    ...['new Intl.NumberFormat()', 'a.localeCompare(b)', 'setTimeout(a)', `\`\${\`\${Date.now()}\`}\``],
  ].flatMap((expression, n) => [
    [`src/domain/pure/${n}.ts`, `const a = ${expression}`, 'must be pure'] as const,
    [`projections/${n}.ts`, `const a = ${expression}`, 'must be pure'] as const,
  ]),
]

/** Files that break none. */
const INNOCENT: Tree = {
  'src/domain/innocent/a.ts': [
    "import type { b } from './b.ts'\nimport * as E from 'fp-ts/lib/Either.js'",
    '// process.exit() and Date.now() make a domain impure',
    'export const processed = new Date(0).toISOString()',
    `const long = {\n${lines(70, '  a: 1,')}}`,
    `const f = () => {\n${lines(57, '  f()')}}`,
  ].join('\n'),
  'src/http/innocent/a.ts': "import type { B } from '../../vault/b.ts'\nimport { d } from '../../domain/d.ts'",
  'src/service/innocent/a.ts': "import { b } from '../../http/web/b.ts'\nconst now = Date.now()",
  'src/web/screens/innocent/a.ts': "import { b } from '../../machines/b.ts'\nimport { h } from 'preact/hooks'",
}

interface Report {
  readonly diagnostics: readonly {
    readonly category: string
    readonly message: string
    readonly location: { readonly path: string }
  }[]
}

/** What Biome says of these files under the project's rules, by path. */
const lint = (tree: Tree): ReadonlyMap<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-rules-'))
  for (const name of ['biome.json', 'biome']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  for (const [path, source] of Object.entries(tree)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), source)
  }
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')
  const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  rmSync(folder, { recursive: true })
  const said = new Map<string, string>()
  for (const { category, message, location } of (JSON.parse(stdout) as Report).diagnostics)
    said.set(location.path, `${said.get(location.path) ?? ''}${category}: ${message}\n`)
  return said
}

test('the rules on imports, purity and size report each way of breaking them', (t) => {
  const offending = Object.fromEntries(OFFENCES)
  const said = lint({ ...offending, ...INNOCENT })
  for (const [path, , rule] of OFFENCES) t.true(said.get(path)?.includes(rule), `${path}: ${rule}\n${said.get(path)}`)
  const rules = /plugin|noExcessive|noImportCycles|noRestricted/
  for (const path of Object.keys(INNOCENT)) t.notRegex(said.get(path) ?? '', rules, path)
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

/** Lines that a chapter of the guide may have at most. */
const CHAPTER_LINES = 400

test('no chapter of the guide has more than 400 lines', (t) => {
  const chapters = globSync('src/guide/*.md', { cwd: ROOT })
  t.true(chapters.length > 10)
  for (const path of chapters) {
    const count = readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1
    t.true(count <= CHAPTER_LINES, `${path} has ${count} lines`)
  }
})
