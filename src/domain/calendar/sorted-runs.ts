import { bisect } from '../values/bisect.ts'
import { bytesOf, makePage, type Page, rowsAt } from './page.ts'

/**
 * A log-structured index: rows of numbers, looked up by key and expired by time, in sorted runs, oldest first. New rows
 * go into the youngest run. When it is full, runs of equal size are merged into one of twice the size. A lookup
 * therefore checks few runs, and each row is copied only a few times. Expiry drops whole runs.
 */
export type Runs = readonly Run[]

export interface Run {
  readonly page: Page
  readonly size: number
  /** Unix milliseconds of the oldest and the newest row. */
  readonly oldest: number
  readonly newest: number
}

/** Rows in the youngest run. */
const YOUNGEST_MAX = 64
/** Rows per run. Merging two takes a few milliseconds and blocks the event loop. */
export const RUN_MAX = 131_072

export interface RowShape {
  /** Numbers per row. */
  readonly width: number
  /** How many of them, from the first, form the key. */
  readonly key: number
  /** Minimum lifetime of a row, in milliseconds. */
  readonly keptFor: number
  /** Longest time span of a run, in milliseconds. A row may outlive `keptFor` by this much. */
  readonly spanMax: number
}

interface Found {
  readonly numbers: Int32Array
  /** Index of the row's first number. */
  readonly at: number
}

/** Comparing rows by their keys, and finding the place of a key. */
const makeOrder = ({ width, key: keyWidth }: RowShape) => {
  /** Negative if the first key sorts before the second. */
  const compare = (one: Int32Array, i: number, other: ArrayLike<number>, k: number): number => {
    for (let n = 0; n < keyWidth; n++) {
      const difference = (one[i + n] as number) - (other[k + n] as number)
      if (difference !== 0) return difference
    }
    return 0
  }

  /** Index of the first row whose key is not less than the given one. */
  const lowerBound = (numbers: Int32Array, key: ArrayLike<number>): number =>
    width * bisect(numbers.length / width, (n) => compare(numbers, n * width, key, 0) >= 0)

  return { compare, lowerBound }
}

const makeRows = (shape: RowShape) => {
  const { width } = shape
  const { compare, lowerBound } = makeOrder(shape)

  const has = (numbers: Int32Array, at: number, key: ArrayLike<number>): boolean =>
    at < numbers.length && compare(numbers, at, key, 0) === 0

  return {
    placeOf: lowerBound,
    has,
    /** Inserts a row in key order, or replaces the row with its key. */
    insertRow: (numbers: Int32Array, row: readonly number[]): Int32Array => {
      const at = lowerBound(numbers, row)
      const rest = at + (has(numbers, at, row) ? width : 0)
      const changed = new Int32Array(numbers.length + (rest === at ? width : 0))
      changed.set(numbers.subarray(0, at))
      changed.set(row, at)
      changed.set(numbers.subarray(rest), at + width)
      return changed
    },
    /** Merges two runs. If both have a key, the younger row wins. */
    merge: (old: Int32Array, young: Int32Array): Int32Array => {
      const all = new Int32Array(old.length + young.length)
      let [i, k, length] = [0, 0, 0]
      while (i < old.length || k < young.length) {
        const order = i === old.length ? 1 : k === young.length ? -1 : compare(old, i, young, k)
        const from = order < 0 ? old : young
        const at = order < 0 ? i : k
        for (let n = 0; n < width; n++) all[length++] = from[at + n] as number
        if (order <= 0) i += width
        if (order >= 0) k += width
      }
      return length === all.length ? all : all.slice(0, length)
    },
  }
}

export const makeSortedRuns = (shape: RowShape) => {
  const { width, keptFor, spanMax } = shape
  const { placeOf, has, insertRow, merge } = makeRows(shape)

  const makeRun = (numbers: Int32Array, oldest: number, newest: number): Run => {
    return { page: makePage(numbers), size: numbers.length / width, oldest, newest }
  }

  /** Drops expired runs from the beginning. */
  const dropOld = (runs: Runs, time: number): Runs => {
    const first = runs.findIndex(({ newest }) => newest > time - keptFor)
    return first === -1 ? [] : runs.slice(first)
  }

  /** Merges the last two runs, repeatedly, while their sizes match and their time span is within the limit. */
  const compact = (runs: Runs): Runs => {
    const [old, young] = runs.slice(-2)
    if (old === undefined || young === undefined || old.size > young.size) return runs
    if (old.size + young.size > RUN_MAX || young.newest - old.oldest > spanMax) return runs
    const place = runs.length - 2
    const numbers = merge(rowsAt(runs, place).numbers, rowsAt(runs, place + 1).numbers)
    return compact([...runs.slice(0, place), makeRun(numbers, old.oldest, young.newest)])
  }

  return {
    /** Adds a row, replacing one with the same key, and drops expired runs. */
    add: (all: Runs, row: readonly number[], time: number): Runs => {
      const runs = dropOld(all, time)
      const place = runs.length - 1
      const last = runs[place]
      if (last === undefined || last.size >= YOUNGEST_MAX || time - last.oldest > spanMax) {
        return [...runs, makeRun(Int32Array.from(row), time, time)]
      }
      const young = makeRun(insertRow(rowsAt(runs, place).numbers, row), last.oldest, time)
      const next = [...runs.slice(0, place), young]
      return young.size < YOUNGEST_MAX ? next : compact(next)
    },
    /** Finds the newest row with a key. */
    find: (runs: Runs, key: readonly number[]): Found | undefined => {
      for (let n = runs.length - 1; n >= 0; n--) {
        const { numbers } = rowsAt(runs, n)
        const at = placeOf(numbers, key)
        if (has(numbers, at, key)) return { numbers, at }
      }
      return undefined
    },
  }
}

/** Bytes of memory that runs take with all their pages loaded. */
export const runsBytes = (runs: Runs, { width }: RowShape): number =>
  bytesOf(
    runs.length,
    runs.reduce((sum, { size }) => sum + size * width, 0),
  )

/** Metadata of each run. A snapshot stores it separately from the pages. */
export const runsToDirectory = (runs: Runs): readonly (readonly number[])[] =>
  runs.map(({ size, oldest, newest }) => [size, oldest, newest])

/** Rebuilds runs from a directory parsed from JSON. */
export const runsFromDirectory = (directory: readonly (readonly number[])[], pages: readonly Page[]): Runs =>
  directory.map(([size = 0, oldest = 0, newest = 0], n): Run => ({ page: pages[n] as Page, size, oldest, newest }))
