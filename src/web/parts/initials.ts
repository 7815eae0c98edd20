const segments = new Intl.Segmenter()

/** The first letters of the first and the last word of a name. */
export const initialsOf = (name: string): string => {
  const words = name.split(/[\s._-]+/u).filter((word) => word !== '')
  const first = (word: string | undefined): string => [...segments.segment(word ?? '')][0]?.segment ?? ''
  return (first(words[0]) + (words.length > 1 ? first(words.at(-1)) : '')).toLocaleUpperCase()
}
