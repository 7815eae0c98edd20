import { addressOf, type Chapter } from './chapters.ts'
import { headingsOf } from './markdown.ts'

/** A part of the guide that a search can find. */
export interface Section {
  readonly address: string
  readonly chapter: string
  readonly heading: string
  /** Its words, without markup. */
  readonly text: string
}

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/^```.*$/gm, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|#]+|^-+$/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The sections of chapters: what is below each heading down to the next one. */
export const sectionsOf = (chapters: readonly Chapter[]): readonly Section[] =>
  chapters.flatMap(({ name, title, markdown }) => {
    const page = addressOf(name)
    const headings = headingsOf(markdown)
    return headings.map(({ id, text, from }, n) => ({
      address: n === 0 ? page : `${page}#${id}`,
      chapter: title,
      heading: text,
      text: plain(markdown.slice(from, headings[n + 1]?.at ?? markdown.length)),
    }))
  })
