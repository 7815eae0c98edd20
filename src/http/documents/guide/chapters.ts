import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The Markdown files of src/guide, by the names that they have in addresses. */

const FOLDER = new URL('../../../guide/', import.meta.url)

/** The file of the chapter that lists all others. It is served at /guide itself. */
export const INDEX = 'README'

export interface ChapterLink {
  readonly name: string
  readonly title: string
}

export const chapterNames = (): readonly string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .filter((name) => name !== INDEX)

export const readChapter = (name: string): Promise<string> => readFile(new URL(`${name}.md`, FOLDER), 'utf8')

export const readPicture = (): Promise<string> => readFile(new URL('tour.svg', FOLDER), 'utf8')

/** The chapters in the order of the index, each once. */
export const listedIn = (index: string): readonly ChapterLink[] => {
  const titles = new Map<string, string>()
  for (const [, title = '', name = ''] of index.matchAll(/\[([^\]]+)\]\(([a-z-]+)\.md\)/g)) {
    if (!titles.has(name)) titles.set(name, title)
  }
  return [...titles].map(([name, title]) => ({ name, title }))
}

/** The text of the first heading. */
export const titleOf = (chapter: string): string => /^# (.+)$/m.exec(chapter)?.[1] ?? ''
