import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { Page } from '../site.ts'
import { buildClientFile } from './build-client-file.ts'

/** Puts together what browsers get: modules of src/web and of the packages that they import, and style sheets. */

const WEB = new URL('../../../web/', import.meta.url)
const MAIN = new URL('main.ts', WEB)
/** The modules with which pages begin. */
const FIRST = ['load.ts', 'documents/docs.ts', 'documents/guide.ts'].map((path) => new URL(path, WEB))
const STYLES = ['page.css', 'tokens.css', 'documents/docs.css', 'documents/documents.css']

const read = (file: URL): string => readFileSync(file, 'utf8')

/** Every file has a name without slashes, so that one route serves them all: its path, in src/web or in a package. */
const nameOf = ({ href }: URL): string => {
  const path = href.startsWith(WEB.href)
    ? href.slice(WEB.href.length)
    : href.replace(/^.*\/node_modules\//, 'packages/')
  return path.replaceAll('/', '~')
}

const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\2/g

/** The file that a specifier means. What only looks like an import, as a text can, means none. */
const targetOf = (specifier: string, importer: URL): URL | undefined => {
  if (specifier.startsWith('.')) {
    const target = new URL(specifier, importer)
    return existsSync(target) ? target : undefined
  }
  try {
    const target = new URL(import.meta.resolve(specifier))
    return target.protocol === 'file:' ? target : undefined
  } catch {
    return undefined
  }
}

/**
 * Adds a module and all that it imports, by the names under which they are served and import each other. An import map
 * would be an inline script, which the policy of the page forbids.
 */
const addModule = (file: URL, modules: Map<string, string>): string => {
  const name = nameOf(file)
  if (modules.has(name)) return name
  modules.set(name, '')
  const source = file.pathname.endsWith('.ts') ? stripTypeScriptTypes(read(file)) : read(file)
  const text = source.replace(IMPORT, (whole, before: string, quote: string, specifier: string) => {
    const target = targetOf(specifier, file)
    return target === undefined ? whole : `${before}${quote}./${addModule(target, modules)}${quote}`
  })
  modules.set(name, text)
  return name
}

const STYLE_IMPORT = /^@import "([^"]+)";$/gm

/** A style sheet with those that it imports put in their places, so that browsers ask for one file. */
const styleOf = (file: URL): string =>
  read(file).replace(STYLE_IMPORT, (_, path: string) => styleOf(new URL(path, file)))

/** The names of the modules that a module imports at once, itself included. */
const reachable = (from: string, modules: ReadonlyMap<string, string>): readonly string[] => {
  const names = new Set<string>()
  const visit = (name: string): void => {
    const source = modules.get(name)
    if (source === undefined || names.has(name)) return
    names.add(name)
    for (const [, before = '', , specifier = ''] of source.matchAll(IMPORT))
      if (!before.includes('(')) visit(specifier.replace('./', ''))
  }
  visit(from)
  return [...names]
}

/** Reads and converts the page and its files, with everything that they import. */
export const buildPage = (): Page => {
  const template = read(new URL('index.html', WEB))
  const modules = new Map<string, string>()
  for (const file of FIRST) addModule(file, modules)
  const styles = STYLES.map((path) => new URL(path, WEB)).map((file) => [nameOf(file), styleOf(file)] as const)
  const files = [...modules, ...styles]
  const digest = hash('sha256', JSON.stringify([template, ...files]), 'base64url').slice(0, 22)
  const prefix = `/web/${digest}/`
  const preloads = reachable(nameOf(MAIN), modules).map((name) => `<link rel="modulepreload" href="${prefix}${name}">`)
  const page = template.replaceAll('/web/', prefix).replace('<!-- preloads -->', preloads.join('\n'))
  const documents = new Map([
    ['/', page],
    // With the offer of single sign-on.
    ['/login/callback', page.replace('<html lang="en"', '<html lang="en" data-single-sign-on')],
    ...files.map(([name, text]) => [prefix + name, text] as const),
  ])
  return { digest, documents, client: buildClientFile() }
}
