/** Content of a page: fixed-width rows of numbers, and the texts they refer to. */
export interface Rows {
  readonly numbers: Int32Array
  readonly texts: readonly string[]
}

/**
 * An immutable part of a folded state. Consecutive states share all pages except those an event changes. The rows are
 * in memory, in the snapshot file under `id`, or both. Loading and saving are the only mutations. The content never
 * changes, so functions of states stay pure.
 */
export interface Page {
  /** Undefined while only on disk. */
  rows: Rows | undefined
  /** Page number in the snapshot file; undefined until written. */
  id: number | undefined
}

/** What a snapshot stores: the state without its pages, as text, and the pages. */
export interface Packed {
  readonly text: string
  readonly pages: readonly Page[]
}

/** A function of a state needs rows that are not loaded. Load them and call the function again. */
export class PageMissing extends Error {
  override name = 'PageMissing'
  /** The missing page, then the pages likely to be needed next. */
  readonly pages: readonly Page[]
  constructor(pages: readonly Page[]) {
    super('a page of a state is not loaded')
    this.pages = pages
  }
}

export const makePage = (numbers: Int32Array, texts: readonly string[] = []): Page => ({
  rows: { numbers, texts },
  id: undefined,
})

/** Pages to prefetch on either side if the same call keeps missing pages. */
const NEIGHBOURS_MAX = 64

/**
 * Rows of the `n`th page.
 * @throws PageMissing if they are not in memory
 */
export const rowsAt = (all: readonly { readonly page: Page }[], n: number): Rows => {
  const rows = all[n]?.page.rows
  if (rows !== undefined) return rows
  const behind = all.slice(n, n + NEIGHBOURS_MAX)
  const before = all.slice(Math.max(0, n - NEIGHBOURS_MAX), n)
  throw new PageMissing([...behind, ...before.reverse()].map(({ page }) => page))
}

/** Overhead of a page in bytes, in V8 and in the allocator. */
const PAGE_BYTES = 480

/** Bytes of so many pages with so many numbers in total. */
export const bytesOf = (pages: number, numbers: number): number => pages * PAGE_BYTES + numbers * 4

/** Four bytes of a hex id, starting at a character, as a number. */
const wordAt = (id: string, place: number): number => Number.parseInt(id.slice(place, place + 8), 16) | 0

/** An id of 24 hex digits as three numbers. */
export const idWords = (id: string): readonly [number, number, number] => [wordAt(id, 0), wordAt(id, 8), wordAt(id, 16)]

const toHex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0')

/** The id stored at an index. */
export const idAt = (numbers: Int32Array, at: number): string =>
  toHex(numbers[at] as number) + toHex(numbers[at + 1] as number) + toHex(numbers[at + 2] as number)
