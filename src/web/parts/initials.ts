const segments = new Intl.Segmenter()

const firstOf = (word: string): string => segments.segment(word)[Symbol.iterator]().next().value?.segment ?? ''

/** What was found before: a schedule asks for the same names at every step of a scroll. */
const known = new Map<string, string>()
const KNOWN_MAX = 1_000

/** The first letters of the first and the last word of a name. */
export const initialsOf = (name: string): string => {
  const before = known.get(name)
  if (before !== undefined) return before
  const words = name.split(/[\s._-]+/u).filter((word) => word !== '')
  const initials = [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word = '') => firstOf(word))
    .join('')
    .toLocaleUpperCase()
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(name, initials)
  return initials
}
