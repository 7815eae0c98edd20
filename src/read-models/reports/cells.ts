import type { DatabaseSync } from 'node:sqlite'
import { type Bucket, type BucketSize, bucketsOf, type ZonedSpan } from '../../domain/calendar/buckets.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { UnixMilliseconds } from '../../domain/values/units.ts'

/** What a report sums up by: of users, of SUTs, of a tag of these, or everything together. */
export type ReportBy = 'sut' | 'user' | 'none' | { readonly tag: string }

/** What every report is asked. */
export interface ReportQuery extends ZonedSpan {
  readonly bucket: BucketSize
  /** Until when what is not over counts. */
  readonly now: UnixMilliseconds
  /** Only what concerns SUTs that have these tags now. */
  readonly scope?: Scope | undefined
  /** Only what this user holds, or has asked for. */
  readonly user_id?: string | undefined
  readonly rowsMax: number
}

/** A report as columns of numbers: small enough to be sent to another thread at once, whatever its length. */
export interface ReportColumns {
  /** The start of each bucket as RFC 3339. */
  readonly buckets: readonly (string | null)[]
  readonly keys: readonly (string | null)[]
  /** What keys are called, where that is known here. */
  readonly names?: readonly (string | null)[]
  /** Their names. */
  readonly figures: readonly string[]
  /** Codes of refusals. How many there were follows the other figures. */
  readonly codes?: readonly string[]
  /** Rows one after the other: the number of the bucket, that of the key, and the figures. NaN is null. */
  readonly rows: Float64Array
}

class TooManyRows extends Error {
  override name = 'TooManyRows'
}

/** By code units, as text is compared everywhere; null last. */
const compareKeys = (a: string | null, b: string | null): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}

/** What a row says of its cell, by name. NaN where nothing is known. */
export type Figures<Cell> = Readonly<Record<string, (cell: Cell) => number>>

/** Cells of a table of buckets and keys. Only those exist that something was added to. */
const makeCells = <Cell>(buckets: readonly Bucket[], max: number, makeCell: () => Cell) => {
  const starts = Float64Array.from(buckets, ({ start }) => start)
  const numbers = new Map<string | null, number>()
  const cells = new Map<number, Cell>()

  const cellAt = (bucket: number, key: string | null): Cell => {
    const number = numbers.get(key) ?? numbers.size
    const place = number * starts.length + bucket
    const known = cells.get(place)
    if (known !== undefined) return known
    if (cells.size === max) throw new TooManyRows()
    const cell = makeCell()
    numbers.set(key, number)
    cells.set(place, cell)
    return cell
  }

  /** The number of the bucket of a moment, which is not before the first. */
  const bucketOf = (moment: UnixMilliseconds): number => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] as number) <= moment) low = middle
      else high = middle - 1
    }
    return low
  }

  return {
    at: (moment: UnixMilliseconds, key: string | null): Cell => cellAt(bucketOf(moment), key),
    /** Visits each bucket of a span that is within that of the report, with the milliseconds of the span in it. */
    spread: (
      from: UnixMilliseconds,
      to: UnixMilliseconds,
      key: string | null,
      add: (cell: Cell, milliseconds: number) => void,
    ): void => {
      let bucket = bucketOf(from)
      for (let start = from; start < to; bucket++) {
        const end = Math.min(to, starts[bucket + 1] ?? to)
        add(cellAt(bucket, key), end - start)
        start = end
      }
    },
    /** The report, by bucket, then key. */
    toReport: (figures: Figures<Cell>, counts?: Figures<Cell>): ReportColumns => {
      const figuresOf = Object.values({ ...figures, ...counts })
      const width = 2 + figuresOf.length
      const keys = [...numbers.keys()].sort(compareKeys)
      const placeOf = keys.map((key) => (numbers.get(key) as number) * starts.length)
      const rankOf = new Map(placeOf.map((place, rank) => [place, rank]))
      // Numbers are sorted without a function that compares them.
      const order = Float64Array.from(cells.keys(), (place) => {
        const bucket = place % starts.length
        return bucket * keys.length + (rankOf.get(place - bucket) as number)
      }).sort()
      const rows = new Float64Array(order.length * width)
      for (const [n, nth] of order.entries()) {
        const rank = nth % keys.length
        const bucket = (nth - rank) / keys.length
        const cell = cells.get((placeOf[rank] as number) + bucket) as Cell
        rows.set([bucket, rank, ...figuresOf.map((figureOf) => figureOf(cell))], n * width)
      }
      const names = { figures: Object.keys(figures), ...(counts && { codes: Object.keys(counts) }) }
      return { buckets: buckets.map(({ name }) => name), keys, ...names, rows }
    },
  }
}
export type Cells<Cell> = ReturnType<typeof makeCells<Cell>>

/** Makes the reader of a report from what sums it up. It returns undefined if there are more rows than the query allows. */
export const makeReport =
  <Query extends ReportQuery, Cell>(
    makeCell: () => Cell,
    sum: (db: DatabaseSync, query: Query, cells: Cells<Cell>) => ReportColumns,
  ) =>
  (db: DatabaseSync) =>
  (query: Query): ReportColumns | undefined => {
    try {
      return sum(db, query, makeCells(bucketsOf(query, query.bucket), query.rowsMax, makeCell))
    } catch (error) {
      if (error instanceof TooManyRows) return undefined
      throw error
    }
  }

/** Counts different texts. Most cells have one, which needs no set. */
export const makeDistinct = () => {
  let first: string | undefined
  let all: Set<string> | undefined
  return {
    add: (text: string): void => {
      first ??= text
      if (text !== first) all ??= new Set([first])
      all?.add(text)
    },
    count: (): number => all?.size ?? Number(first !== undefined),
  }
}
