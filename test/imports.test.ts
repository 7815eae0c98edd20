import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Source files by their path from the project's root. */
type Tree = Readonly<Record<string, string>>

const project: Tree = Object.fromEntries(
  globSync('{src,projections}/**/*.{ts,tsx}', { cwd: ROOT })
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
/** Folders below the project's root. */
const DEPTH = 5

test('no folder of the source is crowded, and none lies too deep', (t) => {
  const folders = Map.groupBy(Object.keys(project), posix.dirname)
  t.true(folders.size > 10)
  for (const [folder, { length }] of folders) {
    t.true(length <= FOLDER_FILES, `${folder} has ${length} files`)
    t.true(folder.split('/').length <= DEPTH, folder)
  }
})

interface Allowed {
  /** Rooms of which it may import anything. */
  readonly rooms?: readonly string[]
  /** Rooms of which it may import types only. */
  readonly types?: readonly string[]
  /** Packages, and modules of Node; any unless given. */
  readonly packages?: RegExp
}

const PURE = /^(?:fp-ts|io-ts|temporal-polyfill|rrule-temporal)(?:\/|$)/
const PORTS = ['domain', 'event-store', 'concurrency']
/** All but the page, which runs elsewhere, and what starts the program. */
const BELOW_APP = [
  ...['domain', 'projections', 'concurrency', 'files', 'telemetry', 'event-store'],
  ...['event-store/sqlite', 'event-store/eventstoredb', 'commands', 'read-models', 'audit', 'vault'],
  ...['users', 'feed', 'gateway', 'processes', 'http', 'archive', 'client'],
]

/** Who may import whom. Imports only go down: src/README.md says why. */
const ROOMS: Readonly<Record<string, Allowed>> = {
  domain: { packages: PURE },
  projections: { rooms: ['domain'], packages: PURE },
  concurrency: {},
  telemetry: {},
  client: { packages: /^node:/ },
  files: { rooms: ['concurrency'] },
  gateway: { rooms: ['domain', 'concurrency'] },
  'event-store': { rooms: ['domain', 'files'] },
  'event-store/sqlite': { rooms: ['domain', 'files', 'event-store'] },
  'event-store/eventstoredb': { rooms: [...PORTS, 'files'] },
  vault: { rooms: ['domain', 'files'], types: ['event-store', 'telemetry'] },
  users: { rooms: ['domain', 'files', 'concurrency'], types: ['vault', 'projections'] },
  commands: { rooms: [...PORTS, 'vault'] },
  audit: { rooms: ['domain', 'event-store', 'files'] },
  'read-models': { rooms: [...PORTS, 'files', 'projections'] },
  feed: { rooms: PORTS, types: ['read-models', 'projections'] },
  processes: {
    rooms: ['domain', 'commands', 'read-models', 'concurrency', 'feed'],
    types: ['gateway', 'projections', 'vault'],
  },
  http: {
    rooms: [...PORTS, 'files', 'commands', 'read-models', 'users', 'feed', 'audit'],
    types: ['vault', 'projections', 'processes'],
  },
  archive: {
    rooms: ['audit', 'domain', 'event-store', 'event-store/sqlite', 'feed', 'files', 'projections', 'vault'],
  },
  app: { rooms: BELOW_APP },
  'command-line': { rooms: [...BELOW_APP, 'app'] },
  'main.ts': { rooms: ['command-line', 'app'] },
  deploy: {},
  web: { packages: /^(?:preact|@preact\/signals|@floating-ui\/dom|@novnc\/novnc|csv-parse|uplot)(?:\/|$)/ },
}

/** The room of a file, by its path from the project's root. The adapters of the event store are rooms of their own. */
const roomOf = (path: string): string => {
  const [top = '', room = '', part] = path.split('/')
  if (top === 'projections') return top
  return room === 'event-store' && part !== undefined && !part.includes('.') ? `${room}/${part}` : room
}

const IMPORT = /^(?:import|export)( type)?\b[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\(['"]?([^)'"]*)/gm

/** What the table above does not allow. */
const forbidden = (tree: Tree): readonly string[] =>
  Object.entries(tree).flatMap(([path, source]) => {
    const room = roomOf(path)
    const { rooms = [], types = [], packages = /^/ } = ROOMS[room] ?? { packages: /^$/ }
    return [...source.matchAll(IMPORT)].flatMap(([, type, from, whole, called]) => {
      const named = from ?? whole ?? called ?? ''
      const target = named.startsWith('.') ? roomOf(posix.join(posix.dirname(path), named)) : undefined
      const isAllowed =
        target === undefined
          ? packages.test(named)
          : target === room || rooms.includes(target) || (type !== undefined && types.includes(target))
      return isAllowed ? [] : [`${path} may not import ${named}`]
    })
  })

const SCREEN = /^src\/web\/screens\/([^/]+)/

/** Screens of the page that import another. */
const acrossScreens = (tree: Tree): readonly string[] =>
  Object.entries(tree)
    .flatMap(foldersBetween)
    .map((folders) => folders.map((folder) => SCREEN.exec(folder)?.[1]))
    .filter(([from, to]) => from !== undefined && to !== undefined && from !== to)
    .map((screens) => screens.join(' -> '))

/** Names that several files of the page have. */
const repeatedNames = (tree: Tree): readonly string[] =>
  [...Map.groupBy(Object.keys(tree), (path) => /^src\/web\/.*?([^/.]+)\.[^/]+$/.exec(path)?.[1] ?? '')]
    .filter(([name, { length }]) => name !== '' && length > 1)
    .map(([name]) => name)

test('no screen of the page imports another, and no two of its files have the same name', (t) => {
  t.deepEqual([...acrossScreens(project), ...repeatedNames(project)], [])
  const files = {
    'src/web/screens/others.ts': "import { a } from './mine/a.ts'",
    'src/web/screens/mine/a.ts': "import { b } from '../book/parts/b.tsx'\nimport { c } from '../../parts/c.ts'",
    'src/web/screens/book/a.tsx': "import { b } from './parts/b.tsx'",
  }
  t.deepEqual([...acrossScreens(files), ...repeatedNames(files)], ['mine -> book', 'a'])
})

const IMPURE = new RegExp(
  [
    String.raw`\bDate\.now\b|\bnew Date\b(?!\([^)])|(?<!new )\bDate\(|\bTemporal\.Now\b|\bMath\.random\b`,
    String.raw`\b(?:crypto|performance|process)\.|\b(?:globalThis|Intl)\b|\bfetch\(`,
    String.raw`\b(?:queueMicrotask|setImmediate|setInterval|setTimeout)\b|\.(?:localeCompare|toLocale\w+)\b`,
    String.raw`\.(?:get|set)(?:Hours|Minutes|Date|Day|Month|FullYear|Year|TimezoneOffset)\b`,
  ].join('|'),
)

/** Files that must be pure, and use I/O, a clock, randomness, a time zone or a locale. */
const impure = (tree: Tree): readonly string[] =>
  Object.entries(tree)
    .filter(([path]) => /^(?:src\/domain|projections)\//.test(path))
    .filter(([, source]) => IMPURE.test(source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')))
    .map(([path]) => path)

test('each room imports only what it may', (t) => {
  t.deepEqual(forbidden(project), [])
  const files = {
    'src/domain/a.ts': "import fs from 'node:fs'\nimport { b } from '../http/b.ts'\nimport { c } from './sut/c.ts'",
    'src/http/a.ts': "import {\n  type A,\n  b,\n} from '../vault/b.ts'\nimport type { B } from '../vault/b.ts'",
    'src/event-store/sqlite/a.ts': "export * from '../eventstoredb/b.ts'\nimport { e } from '../event-store.ts'",
    'src/feed/a.ts': "import '../main.ts'\nconst s = await import('../app/s.ts')",
    'src/helpers/a.ts': "import { b } from '../domain/b.ts'",
  }
  t.deepEqual(forbidden(files), [
    'src/domain/a.ts may not import node:fs',
    'src/domain/a.ts may not import ../http/b.ts',
    'src/http/a.ts may not import ../vault/b.ts',
    'src/event-store/sqlite/a.ts may not import ../eventstoredb/b.ts',
    'src/feed/a.ts may not import ../main.ts',
    'src/feed/a.ts may not import ../app/s.ts',
    'src/helpers/a.ts may not import ../domain/b.ts',
  ])
})

test('the domain and the projections are pure', (t) => {
  t.deepEqual(impure(project), [])
  const pure = '// process.exit() and Date.now() are not\nexport const processed = new Date(0).toISOString()'
  t.deepEqual(impure({ 'src/domain/a.ts': pure, 'src/http/a.ts': 'const now = Date.now()' }), [])
  const offences = ['Date.now()', 'new Date()', 'new Date', 'Date()', 'Math.random()', 'process.env.A', 'setTimeout(a)']
  for (const source of [...offences, 'new Date(1).getHours()', 'a.localeCompare(b)', 'new Intl.NumberFormat()'])
    t.deepEqual(impure({ 'projections/a.ts': `const a = ${source}` }), ['projections/a.ts'], source)
})

/** Files that a module names relative to itself, other than by importing them, and that neither exist nor are a cache. */
const missing = (path: string, source: string): readonly string[] =>
  [...source.matchAll(/import\.meta\.dirname, '([^']+)'|new URL\('([^']+)', import\.meta/g)].flatMap(
    ([, joined, named = joined as string]) =>
      named.includes('.cache/') || existsSync(join(ROOT, dirname(path), named)) ? [] : `${path} names ${named}`,
  )

test('every script and file that a module names relative to itself exists', (t) => {
  const modules = globSync('{src,projections,test}/**/*.{ts,tsx,js}', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  t.deepEqual(
    modules.flatMap((path) => missing(path, readFileSync(join(ROOT, path), 'utf8'))),
    [],
  )
  t.deepEqual(missing('src/main.ts', `new URL(${"'./gone.ts'"}, import.meta.url)`), ['src/main.ts names ./gone.ts'])
})

test('every module that a README of a room names exists', (t) => {
  const modules = globSync('{src,projections,test}/**/*.{ts,tsx,js}', { cwd: ROOT }).map((path) => `/${path}`)
  const named = (text: string) =>
    [...text.matchAll(/`([\w/.-]+\/[\w.-]+\.(?:ts|js))`/g)].map(([, name]) => name as string)
  const gone = (path: string, text: string): readonly string[] =>
    named(text)
      .filter((name) => !modules.some((module) => module.endsWith(`/${name.replace(/^[./]+/, '')}`)))
      .map((name) => `${path} names ${name}`)
  const readmes = globSync('{src,projections,test}/**/README.md', { cwd: ROOT })
  t.true(readmes.length > 15)
  t.deepEqual(
    readmes.flatMap((path) => gone(path, readFileSync(join(ROOT, path), 'utf8'))),
    [],
  )
  t.deepEqual(gone('a', '`domain/event.ts` and `domain/gone.ts`'), ['a names domain/gone.ts'])
})

const EXPORTED = /^export (?:abstract |async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm

test('no two files of the service export the same name', (t) => {
  const exported = Object.entries(project)
    .filter(([path]) => !path.startsWith('src/web/'))
    .flatMap(([path, source]) => [...source.matchAll(EXPORTED)].map(([, name]) => ({ name: name as string, path })))
  t.true(exported.length > 1_000)
  const several = [...Map.groupBy(exported, ({ name }) => name)]
    .map(([name, places]) => [name, new Set(places.map(({ path }) => path)).size] as const)
    .filter(([, files]) => files > 1)
  t.deepEqual(several, [])
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
