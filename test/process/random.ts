/** Reproducible random numbers. */
export interface Random {
  readonly seed: number
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  readonly oneOf: <A>(choices: readonly A[]) => A
  readonly hex: (digits: number) => string
}

/** Marsaglia's 32-bit xorshift. */
export const makeRandom = (seed: number): Random => {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1
  const next = (): number => {
    state = (state ^ (state << 13)) >>> 0
    state = (state ^ (state >>> 17)) >>> 0
    state = (state ^ (state << 5)) >>> 0
    return state
  }
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit)
  return {
    seed,
    below,
    oneOf: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}

/** The seed given by the variable SEED, or a new one. */
export const seedOf = (environment: Readonly<Record<string, string | undefined>>): number =>
  Number(environment.SEED ?? Math.floor(Math.random() * 2 ** 31))
