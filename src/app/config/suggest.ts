/** Edit distance: letters added, removed, replaced or swapped with the next one. */
const distance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, n) => n)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    rows.push([i])
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      rows[i]?.push(Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1, swapped))
    }
  }
  return at(a.length, b.length)
}

/** Longer input is not a typo. */
const TYPED_MAX = 40

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
