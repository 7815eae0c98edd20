import { compareNames } from '../../format/format.ts'
/** By what rows stand. */
export interface Order<C extends string> {
  readonly by: C
  readonly isDescending: boolean
}

type Value = string | number | undefined

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compareNames(String(a), String(b))

/**
 * Rows in order, by what `values` says that they have in the column. Those that have nothing there come last, whatever the direction;
 * `namesOf` says in what order those stand that have the same.
 */
export const orderedBy = <R, C extends string>(
  rows: readonly R[],
  { by, isDescending }: Order<C>,
  values: Readonly<Record<C, (row: R) => Value>>,
  namesOf: (row: R) => readonly string[],
): readonly R[] =>
  rows.toSorted((a, b) => {
    const [left, right] = [values[by](a), values[by](b)]
    const byColumn =
      left === undefined || right === undefined
        ? Number(left === undefined) - Number(right === undefined)
        : compare(left, right) * (isDescending ? -1 : 1)
    const others = namesOf(b)
    return byColumn || namesOf(a).reduce((by, name, n) => by || compare(name, others[n] ?? ''), 0)
  })
