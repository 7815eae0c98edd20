import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Compressed } from '../../protocol/coding.ts'
import { buildClientFile } from './build-client-file.ts'
import type { WebFile, WebFiles } from './web-files.ts'

/** A package of which browsers get files. */
interface WebPackage {
  readonly name: string
  /** Patterns of the files that are served, relative to the package. */
  readonly files: readonly string[]
  /** The file that each bare specifier means. */
  readonly entries: Readonly<Record<string, string>>
}

/** What the page is made of besides its own files. `guide/architecture.md` says what each is for. */
const PACKAGES: readonly WebPackage[] = [
  {
    name: 'preact',
    files: ['dist/preact.mjs', 'hooks/dist/hooks.mjs'],
    entries: { preact: 'dist/preact.mjs', 'preact/hooks': 'hooks/dist/hooks.mjs' },
  },
  {
    name: '@novnc/novnc',
    files: ['core/**/*.js', 'vendor/pako/**/*.js'],
    entries: { '@novnc/novnc': 'core/rfb.js' },
  },
  { name: 'htm', files: ['dist/htm.mjs'], entries: { htm: 'dist/htm.mjs' } },
  {
    name: 'csv-parse',
    files: ['dist/esm/sync.js'],
    entries: { 'csv-parse/browser/esm/sync': 'dist/esm/sync.js' },
  },
]

const WEB = fileURLToPath(new URL('../../../web/', import.meta.url))
const FIRST = 'main.ts'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The folder of an installed package. Not every package exports its package.json. */
const folderOf = ({ name, entries }: WebPackage): string => {
  const [specifier = name, file = ''] = Object.entries(entries)[0] ?? []
  return fileURLToPath(import.meta.resolve(specifier)).slice(0, -file.length)
}

/** Sources by their path: in src/web, or below `packages`. */
const readAll = (): ReadonlyMap<string, string> => {
  const read = (folder: string, served: string, patterns: readonly string[]): readonly (readonly [string, string])[] =>
    globSync(patterns, { cwd: folder, exclude: ['**/*.d.ts'] })
      .map((file) => file.replaceAll('\\', '/'))
      .sort()
      .map((file) => [`${served}${file}`, readFileSync(join(folder, file), 'utf8')])
  return new Map([
    ...read(WEB, '', ['**/*.ts', '**/*.css']),
    ...PACKAGES.flatMap((each) => read(folderOf(each), `packages/${each.name}/`, each.files)),
  ])
}

const SERVED = new Map(
  PACKAGES.flatMap(({ name, entries }) =>
    Object.entries(entries).map(([specifier, file]) => [specifier, `packages/${name}/${file}`] as const),
  ),
)
const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\2/g

/** Every file has a name without slashes, so that one route serves them all. */
const nameOf = (path: string): string => path.replaceAll('/', '~')

/**
 * Has a module import files by the names under which they are served. An import map would be an inline script, which
 * the policy of the page forbids.
 */
const withServedNames = (path: string, source: string): string =>
  source.replace(IMPORT, (whole, before: string, quote: string, specifier: string) => {
    const isRelative = specifier.startsWith('.')
    const served = isRelative ? posix.join(posix.dirname(path), specifier) : SERVED.get(specifier)
    return served === undefined ? whole : `${before}${quote}./${nameOf(served)}${quote}`
  })

const STYLE_IMPORT = /^@import "([^"]+)";$/gm

/** A style sheet with those that it imports put in their places, so that browsers ask for one file. */
const withImports = (path: string, sources: ReadonlyMap<string, string>): string =>
  (sources.get(path) ?? '').replace(STYLE_IMPORT, (_, file: string) => {
    const imported = posix.join(posix.dirname(path), file)
    if (!sources.has(imported)) throw new Error(`${path} imports ${imported}, which there is not`)
    return withImports(imported, sources)
  })

const toServed = (path: string, sources: ReadonlyMap<string, string>): string => {
  const extension = extname(path)
  const source = sources.get(path) ?? ''
  if (extension === '.css') return withImports(path, sources)
  return withServedNames(path, extension === '.ts' ? stripTypeScriptTypes(source) : source)
}

/** The names of the modules that a module imports at once, itself included. */
const reachable = (from: string, served: ReadonlyMap<string, string>): readonly string[] => {
  const found = new Set<string>()
  const visit = (name: string): void => {
    const source = served.get(name)
    // What only looks like an import, as a text can, names no file.
    if (source === undefined || found.has(name)) return
    found.add(name)
    for (const [, before = '', , specifier = ''] of source.matchAll(IMPORT))
      if (!before.includes('(')) visit(specifier.replace('./', ''))
  }
  visit(from)
  return [...found]
}

const PRELOADS = '<!-- preloads -->'

const pageOf = (template: string, prefix: string, modules: readonly string[]): string =>
  template
    .replaceAll('/web/', prefix)
    .replace(PRELOADS, modules.map((name) => `<link rel="modulepreload" href="${prefix}${name}">`).join('\n'))

/** Once for all requests, so with more effort than usual. */
const compressHard = (bytes: Uint8Array): Compressed => ({
  zstd: zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } }),
  gzip: gzipSync(bytes, { level: 9 }),
})

/** Reads, converts and compresses the files of the page, with everything that they import. */
export const buildWebFiles = (): WebFiles => {
  const template = readFileSync(join(WEB, 'index.html'), 'utf8')
  const sources = readAll()
  const digest = hash('sha256', JSON.stringify([template, ...sources]), 'base64url').slice(0, 22)
  const served = new Map([...sources.keys()].map((path) => [nameOf(path), toServed(path, sources)]))
  const files = [...served].map(([name, text]): readonly [string, WebFile] => {
    const bytes = Buffer.from(text)
    const mediaType = MEDIA_TYPES[extname(name)] ?? 'application/octet-stream'
    return [name, { mediaType, bytes, compressed: compressHard(bytes) }]
  })
  const page = pageOf(template, `/web/${digest}/`, reachable(FIRST, served))
  const pageWithSingleSignOn = page.replace('<html lang="en">', '<html lang="en" data-single-sign-on>')
  return { digest, files: new Map(files), page, pageWithSingleSignOn, client: buildClientFile() }
}
