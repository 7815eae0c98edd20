import { fold } from '../format/format.ts'
export interface Section {
  readonly address: string
  readonly chapter: string
  readonly heading: string
  readonly text: string
}

const MOST = 12
/** What a word counts in a heading, in the title of a chapter and in a text. */
const WEIGHTS = { heading: 20, chapter: 8, text: 1 } as const

/** How well a section answers: 0 if a word is missing. */
const score = ({ heading, chapter, text }: Section, words: readonly string[]): number => {
  const parts = { heading: fold(heading), chapter: fold(chapter), text: fold(text) }
  const scores = words.map((word) => {
    const hits = (part: keyof typeof parts): number => (parts[part].includes(word) ? WEIGHTS[part] : 0)
    return hits('heading') + hits('chapter') + hits('text')
  })
  return scores.every((each) => each > 0) ? scores.reduce((sum, each) => sum + each, 0) : 0
}

/** The sections that have every word, the best first, in the order of the guide where they are as good. */
export const find = (sections: readonly Section[], typed: string): readonly Section[] => {
  const words = fold(typed).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, points: score(section, words) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points)
    .slice(0, MOST)
    .map(({ section }) => section)
}
