import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The Markdown files of src/guide, by the names that they have in addresses. */

const FOLDER = new URL('../../../guide/', import.meta.url)

/** The file of the chapter that lists all others. It is served at /guide itself. */
export const INDEX = 'README'

/** The address of a chapter. */
export const addressOf = (name: string): string => (name === INDEX ? '/guide' : `/guide/${name}`)

export interface Chapter {
  readonly name: string
  /** The text of its first heading, or of the link in the index. */
  readonly title: string
  readonly markdown: string
}

/** Chapters about one kind of thing. */
export interface Group {
  readonly title: string
  readonly chapters: readonly Chapter[]
}

export const chapterNames = (): readonly string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .filter((name) => name !== INDEX)

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? ''

export const readChapter = async (name: string): Promise<Chapter> => {
  const markdown = await readFile(new URL(`${name}.md`, FOLDER), 'utf8')
  return { name, title: titleOf(markdown), markdown }
}

export const readTour = (): Promise<string> => readFile(new URL('tour.svg', FOLDER), 'utf8')

export const readSchedule = (): Promise<Uint8Array> => readFile(new URL('schedule.png', FOLDER))

/** The groups of the index, in its order: each second heading with the chapters that are linked in its table, once. */
export const groupsOf = (index: Chapter, chapters: readonly Chapter[]): readonly Group[] => {
  const seen = new Set<string>()
  const groups = index.markdown.split(/^## /m).slice(1)
  return groups
    .map((text) => {
      const names = [...text.matchAll(/^\|.*\]\(([a-z-]+)\.md\) \|$/gm)].map(([, name = '']) => name)
      const fresh = names.filter((name) => !seen.has(name) && seen.add(name) !== undefined)
      const listed = fresh.flatMap((name) => chapters.find((chapter) => chapter.name === name) ?? [])
      return { title: text.split('\n', 1)[0] ?? '', chapters: listed }
    })
    .filter(({ chapters: listed }) => listed.length > 0)
}
