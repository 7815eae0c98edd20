import * as E from 'fp-ts/lib/Either.js'

/** Reads a value. Left completes the sentence "BERTH_X ..." without the value, which may be a secret. */
export type ReadValue<A> = (value: string) => E.Either<string, A>

/** Reads a variable, or takes `otherwise` where it is not set; collects the problems. */
export type ReadVariable = <A, B>(name: string, as: ReadValue<A>, otherwise: B) => A | B

export const readOneOf =
  <A extends string>(...values: readonly A[]): ReadValue<A> =>
  (value) =>
    E.fromNullable(`must be one of ${values.join(', ')}`)(values.find((each) => each === value))

export const readWholeNumber =
  (min: number, max: number): ReadValue<number> =>
  (value) =>
    /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? E.right(Number(value))
      : E.left(`must be a whole number from ${min} to ${max}`)
