/** Which rows are in view. Pure: all heights are known, in pixels. */

import { compareNames } from '../../format/format.ts'

export type Row<A> =
  | {
      readonly kind: 'group'
      readonly key: string
      readonly title: string
      readonly of: readonly A[]
      readonly isFolded: boolean
    }
  | {
      readonly kind: 'machine'
      readonly key: string
      readonly of: A
      /** It stays only so that nothing moves. */
      readonly isLeaving?: true
    }

interface Heights {
  readonly group: number
  readonly machine: number
}

const AROUND = 8

export interface Layout<A> {
  readonly rows: readonly Row<A>[]
  /** The top of each row, and at the end the height of all. */
  readonly tops: readonly number[]
}

export const layOut = <A>(rows: readonly Row<A>[], heights: Heights): Layout<A> => {
  const tops = [0]
  for (const { kind } of rows) tops.push((tops.at(-1) as number) + heights[kind])
  return { rows, tops }
}

export const heightOf = ({ tops }: Layout<unknown>): number => tops.at(-1) ?? 0

export const rowAt = ({ rows, tops }: Layout<unknown>, y: number): number => {
  let [low, high] = [0, Math.max(0, rows.length - 1)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tops[middle] as number) <= y) low = middle
    else high = middle - 1
  }
  return low
}

export const visibleRows = (layout: Layout<unknown>, top: number, height: number): readonly [number, number] => {
  const first = rowAt(layout, top)
  const last = rowAt(layout, top + height)
  return [Math.max(0, first - AROUND), Math.min(layout.rows.length, last + 1 + AROUND)]
}

/** Rows in groups, in the order given; what belongs to no group comes last. */
export const grouped = <A extends { readonly _id: string }>(
  all: readonly A[],
  groupOf: ((each: A) => string | undefined) | undefined,
  folded: ReadonlySet<string>,
): readonly Row<A>[] => {
  const machine = (of: A): Row<A> => ({ kind: 'machine', key: of._id, of })
  if (groupOf === undefined) return all.map(machine)
  const groups = Map.groupBy(all, (each) => groupOf(each) ?? '')
  const titles = [...groups.keys()].sort((a, b) => (a === '' ? 1 : b === '' ? -1 : compareNames(a, b)))
  return titles.flatMap((title): readonly Row<A>[] => {
    const of = groups.get(title) ?? []
    const isFolded = folded.has(title)
    return [{ kind: 'group', key: `group ${title}`, title, of, isFolded }, ...(isFolded ? [] : of.map(machine))]
  })
}

/**
 * The rows where they were, with what they show now. What has gone stays until rows may move again, what has come
 * waits.
 */
export const hold = <A extends { readonly _id: string }>(
  before: readonly Row<A>[],
  now: readonly Row<A>[],
  all: ReadonlyMap<string, A>,
): readonly Row<A>[] => {
  const byKey = new Map(now.map((row) => [row.key, row]))
  return before.map((row) => {
    const same = byKey.get(row.key)
    if (same !== undefined || row.kind === 'group') return same ?? row
    return { ...row, of: all.get(row.key) ?? row.of, isLeaving: true }
  })
}

/**
 * How far to scroll so that the row at the top stays there, or else the first one after it that is left. Who has not
 * scrolled sees what has come above it, such as the head of the first group.
 */
export const scrollFor = (before: Layout<unknown>, after: Layout<unknown>, top: number): number => {
  if (top === 0) return 0
  const at = rowAt(before, top)
  const indexes = new Map(after.rows.map(({ key }, index) => [key, index]))
  for (const [n, { key }] of before.rows.slice(at).entries()) {
    const index = indexes.get(key)
    if (index !== undefined) return (after.tops[index] ?? 0) + (n === 0 ? top - (before.tops[at] ?? 0) : 0)
  }
  return top
}
