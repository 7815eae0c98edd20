/** Something in a log that is not as it must be. */
export interface Finding {
  /** Where in the log; null for what is wrong with it as a whole. */
  readonly position: number | null
  /** One sentence. */
  readonly what: string
}

export interface Findings {
  readonly add: (position: number | null, what: string) => void
  /** How many there are, those that are not kept among them. */
  readonly count: () => number
  readonly kept: () => readonly Finding[]
}

/** Of a log that is wrong from end to end, not everything has to be told. */
const KEPT_MAX = 10_000

export const makeFindings = (): Findings => {
  const kept: Finding[] = []
  let count = 0
  return {
    add: (position, what) => {
      count++
      if (kept.length < KEPT_MAX) kept.push({ position, what })
    },
    count: () => count,
    kept: () => kept,
  }
}
