import { distance } from '../../app/config/unknown-variables.ts'

/** Longer input is not a typo. */
const TYPED_MAX = 32

/** Infinity if the word is too different. */
const rank = (typed: string, known: string): number => {
  if (typed.length > 1 && known.startsWith(typed)) return 0
  const edits = distance(typed, known)
  return edits <= Math.max(1, Math.floor(known.length / 3)) ? edits : Number.POSITIVE_INFINITY
}

/**
 * The suggestion to add to an error message about a mistyped word, or an empty string. A name of two words is also
 * found by its second: `rotate` suggests `vault rotate`.
 */
export const didYouMean = (typed: string, names: readonly string[]): string => {
  if (typed.length > TYPED_MAX) return ''
  let [best, least] = ['', Number.POSITIVE_INFINITY]
  for (const name of names) {
    const edits = Math.min(rank(typed, name), rank(typed, name.slice(name.lastIndexOf(' ') + 1)))
    if (edits < least) [best, least] = [name, edits]
  }
  return best === '' ? '' : `; did you mean ${best}?`
}
