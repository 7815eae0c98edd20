import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../process/harness.ts'

/** A fenced block of a document. */
export interface Block {
  /** The words after the fence: `sh`, `sh norun`, `js`. */
  readonly info: string
  readonly code: string
  /** The line of the opening fence, from 1. */
  readonly line: number
}

export interface Document {
  /** From the root of the project. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  /** The text outside fenced blocks, with the lines of the blocks left empty. */
  readonly prose: string
}

const FENCED = /^```(.*)\n([\s\S]*?)\n?^```$/gm

/** Separates the fenced blocks of a Markdown text from its prose. */
const readBlocks = (text: string): Pick<Document, 'blocks' | 'prose'> => ({
  blocks: [...text.matchAll(FENCED)].map(({ index, 1: info = '', 2: code = '' }) => ({
    ...{ info, code, line: text.slice(0, index).split('\n').length },
  })),
  prose: text.replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, '')),
})

const GUIDE = 'src/guide'

const read = (path: string): Document => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return { path, text, ...readBlocks(text) }
}

export const readme = read('README.md')
export const chapters: readonly Document[] = globSync(`${GUIDE}/*.md`, { cwd: ROOT }).sort().map(read)
export const documents: readonly Document[] = [readme, ...chapters]

export const chapter = (name: string): Document => {
  const found = chapters.find(({ path }) => path === `${GUIDE}/${name}`)
  if (found === undefined) throw new Error(`the guide has no ${name}`)
  return found
}

/** The chapter whose blocks every run of the tests runs. */
export const tour = chapter('tour.md')

/** The part of a chapter from a heading to the next one of the same level or above. */
export const section = ({ prose }: Document, heading: string): string => {
  const [, rest = ''] = `\n${prose}`.split(`\n${heading}\n`)
  const [part = ''] = rest.split(new RegExp(`^#{1,${heading.indexOf(' ')}} `, 'm'))
  return part
}

/** The cells of the table rows in a text, without the heads. */
export const rows = (text: string): readonly (readonly string[])[] =>
  [...text.replaceAll(/^\|.*\n\|-.*$/gm, '').matchAll(/^\|(.*)\|$/gm)].map(([, line = '']) =>
    line.split(/(?<!\\)\|/).map((cell) => cell.trim()),
  )
