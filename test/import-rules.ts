import { posix } from 'node:path'
import { readSource, type SourceText } from './source-text.ts'

/** Source files by their path from the project's root. */
export type Tree = Readonly<Record<string, string>>

/** Paths that end in a slash are folders with everything in them. */
export interface Rule {
  readonly files: string
  /** Project files that these files may import. */
  readonly may: readonly string[]
  /** Project files from which they may import types only. */
  readonly mayType?: readonly string[]
  /** The packages they may import. Any, unless given. */
  readonly packages?: readonly string[]
  /** No I/O, clock, randomness, time zone or locale. */
  readonly pure?: boolean
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly ours: boolean
  readonly typeOnly: boolean
}

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))

const packageOf = (specifier: string): string =>
  specifier.startsWith('node:')
    ? specifier
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')

const edgesOf = (path: string, text: SourceText): readonly Edge[] =>
  text.imports.map(({ specifier, typeOnly }) => {
    const ours = specifier.startsWith('.')
    const to = ours ? posix.join(posix.dirname(path), specifier) : packageOf(specifier)
    return { from: path, to, ours, typeOnly }
  })

const wrongEdge = (edge: Edge, rule: Rule, tree: Tree): string | undefined => {
  const { from, to, ours, typeOnly } = edge
  if (!ours) return rule.packages === undefined || rule.packages.includes(to) ? undefined : `${from} imports ${to}`
  if (!Object.hasOwn(tree, to)) return `${from} imports ${to}, which is not there`
  if (isIn(to, rule.may)) return undefined
  if (!isIn(to, rule.mayType ?? [])) return `${from} imports ${to}`
  return typeOnly ? undefined : `${from} imports more than types from ${to}`
}

/** Every import that no rule allows. The first rule that matches a file applies to it. */
const wrongImports = (edges: readonly Edge[], rules: readonly Rule[], tree: Tree): readonly string[] =>
  edges.flatMap((edge) => {
    const rule = rules.find(({ files }) => isIn(edge.from, [files]))
    return (rule && wrongEdge(edge, rule, tree)) ?? []
  })

interface Arrow {
  readonly from: string
  readonly to: string
}

/** Every cycle once, from the file in it that was seen first. Type imports count too. */
const cycles = (arrows: readonly Arrow[], places: Iterable<string>): readonly string[] => {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' -> ')} is a cycle`)
    if (trail.includes(path) || done.has(path)) return
    for (const { from, to } of arrows) if (from === path) visit(to, [...trail, path])
    done.add(path)
  }
  for (const path of places) visit(path, [])
  return found
}

const PASSED_ON =
  /\b(?:import|export)\s+[\w$*{}\s,]+?\s*\bfrom\s*"\d+"|\bimport\s*"\d+"|\bexport\s+(?:type\s+)?\{[^}]*\}/g

const isBarrel = (code: string): boolean => /\bexport\b/.test(code) && /^[\s;]*$/.test(code.replace(PASSED_ON, ''))

const exportsDefault = (code: string): boolean => /\bexport\s+default\b|\bas\s+default\b/.test(code)

const IMPURE: readonly RegExp[] = [
  /\bDate\.now\b/,
  /\bnew\s+Date\b(?!\s*\()/,
  /\bDate\s*\(\s*\)/,
  /\bTemporal\s*\.\s*Now\b/,
  /\bMath\.random\b/,
  /\b(?:performance|process|crypto|globalThis|fetch|setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
  /\bIntl\b|\.(?:toLocale\w+|localeCompare)\b/,
  /\.(?:get|set)(?:Hours|Minutes|Date|Day|Month|FullYear|Year|TimezoneOffset)\b/,
]

const impurities = (code: string): readonly string[] => IMPURE.flatMap((word) => word.exec(code)?.[0].trim() ?? [])

/** Folders that import each other, directly or through others. */
const folderCycles = (edges: readonly Arrow[]): readonly string[] => {
  const arrows = edges.map(({ from, to }) => ({ from: posix.dirname(from), to: posix.dirname(to) }))
  const between = arrows.filter(({ from, to }) => from !== to)
  return cycles(between, new Set(between.map(({ from }) => from)))
}

/** The most files a folder may have. */
const FOLDER_FILES = 20

const crowded = (tree: Tree): readonly string[] => {
  const folders = Map.groupBy(Object.keys(tree), posix.dirname)
  return [...folders].flatMap(([folder, { length }]) => (length > FOLDER_FILES ? `${folder} has ${length} files` : []))
}

/** Files and functions must stay below these. */
const FILE_LINES = 300
const FUNCTION_LINES = 60
/** One function of straight steps. */
const COMPOSITION_ROOT = 'src/service/service.ts'

const linesOf = (text: string): number => text.replace(/\n$/, '').split('\n').length

/** The lines of the longest function body: a block after an arrow, or after parentheses with or without a type. */
const longestBody = (code: string): number => {
  let longest = 0
  const open: number[] = []
  for (const { 0: brace, index } of code.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index)
    else {
      const start = open.pop() ?? index
      const isBody = /(?:=>|\)(?:\s*:[^={};]+)?)\s*$/.test(code.slice(Math.max(0, start - 200), start))
      if (isBody) longest = Math.max(longest, linesOf(code.slice(start, index + 1)))
    }
  }
  return longest
}

/** Everything wrong with a tree of source files, in sentences that start with the file. */
export const offences = (tree: Tree, rules: readonly Rule[]): readonly string[] => {
  const found: string[] = []
  const edges: Edge[] = []
  for (const [path, source] of Object.entries(tree)) {
    const rule = rules.find(({ files }) => isIn(path, [files]))
    if (rule === undefined) found.push(`${path} has no rule`)
    const text = readSource(source)
    for (const unread of text.unread) found.push(`${path} ${unread}`)
    edges.push(...edgesOf(path, text))
    if (isBarrel(text.code)) found.push(`${path} is a barrel`)
    // A declaration says what a package of others exports.
    if (exportsDefault(text.code) && !path.endsWith('.d.ts')) found.push(`${path} has a default export`)
    if (rule?.pure) for (const word of impurities(text.code)) found.push(`${path} is not pure: ${word}`)
    if (linesOf(source) >= FILE_LINES) found.push(`${path} has ${linesOf(source)} lines`)
    if (path !== COMPOSITION_ROOT && longestBody(text.code) >= FUNCTION_LINES)
      found.push(`${path} has a function of ${longestBody(text.code)} lines`)
  }
  const ours = edges.filter(({ ours }) => ours)
  const wrong = wrongImports(edges, rules, tree)
  return [...found, ...crowded(tree), ...wrong, ...cycles(ours, Object.keys(tree)), ...folderCycles(ours)]
}
