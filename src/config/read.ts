import * as E from 'fp-ts/lib/Either.js'

/** Reads a value. Left completes the sentence "BERTH_X ..." without the value, which may be a secret. */
export type Read<A> = (value: string) => E.Either<string, A>

/** Reads a variable, or takes `otherwise` where it is not set; collects the problems. */
export type ReadVariable = <A, B>(name: string, as: Read<A>, otherwise: B) => A | B

export const oneOf =
  <A extends string>(...values: readonly A[]): Read<A> =>
  (value) =>
    E.fromNullable(`must be one of ${values.join(', ')}`)(values.find((each) => each === value))

export const wholeNumber =
  (min: number, max: number): Read<number> =>
  (value) =>
    /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? E.right(Number(value))
      : E.left(`must be a whole number from ${min} to ${max}`)
