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

/** Separates the fenced blocks of a Markdown text from its prose. */
export const readBlocks = (text: string): Pick<Document, 'blocks' | 'prose'> => {
  const blocks: Block[] = []
  const prose: string[] = []
  let open: { info: string; line: number; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, info] = /^```(.*)$/.exec(line) ?? []
    if (info === undefined && open === undefined) prose.push(line)
    else prose.push('')
    if (info === undefined) open?.lines.push(line)
    else if (open === undefined) open = { info, line: index + 1, lines: [] }
    else {
      blocks.push({ info: open.info, line: open.line, code: open.lines.join('\n') })
      open = undefined
    }
  }
  return { blocks, prose: prose.join('\n') }
}

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

/** The part of a chapter from a heading to the next one of the same level or above. */
export const section = ({ prose }: Document, heading: string): string => {
  const lines = prose.split('\n')
  const start = lines.indexOf(heading)
  const level = heading.indexOf(' ')
  const isNext = (line: string): boolean => /^#+ /.test(line) && line.indexOf(' ') <= level
  const rest = lines.slice(start + 1)
  const end = rest.findIndex(isNext)
  return start === -1 ? '' : rest.slice(0, end === -1 ? undefined : end).join('\n')
}

/** The cells of the table rows in a text, without the head. */
export const rows = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    )
    .filter(([first = ''], index, all) => !/^-+$/.test(first) && !/^-+$/.test(all[index + 1]?.[0] ?? ''))
