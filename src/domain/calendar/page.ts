/** What a page holds: numbers in rows of a fixed length, and the texts that they refer to. */
export interface Rows {
  readonly numbers: Int32Array
  readonly texts: readonly string[]
}

/**
 * A part of a folded state that never changes: states which follow each other share all pages but those that an event
 * touches. Its rows are in memory, or in the file of snapshots under its `id`, or in both. That is all that changes about
 * a page; what it says never does, so functions of states stay pure.
 */
export interface Page {
  /** Undefined while they are only in the file. */
  rows: Rows | undefined
  /** Its number in the file; undefined until it has been written. */
  id: number | undefined
}

/** A state without its pages, as a text, and the pages: what a snapshot keeps of it. */
export interface Packed {
  readonly text: string
  readonly pages: readonly Page[]
}

/** A function of a state needs rows that are only in the file: they are to be read, and the function called again. */
export class PageMissing extends Error {
  override name = 'PageMissing'
  /** The page, and those that will probably be needed after it. */
  readonly pages: readonly Page[]
  constructor(pages: readonly Page[]) {
    super('a page of a state is not in memory')
    this.pages = pages
  }
}

export const makePage = (numbers: Int32Array, texts: readonly string[] = []): Page => ({
  rows: { numbers, texts },
  id: undefined,
})

/** Pages on either side that are read with one, if the same call needs more and more of them. */
const NEIGHBOURS_MAX = 64

/**
 * The rows of the `n`th of several pages.
 *
 * @throws PageMissing where they are not in memory
 */
export const rowsAt = (all: readonly { readonly page: Page }[], n: number): Rows => {
  const rows = all[n]?.page.rows
  if (rows !== undefined) return rows
  const behind = all.slice(n, n + NEIGHBOURS_MAX)
  const before = all.slice(Math.max(0, n - NEIGHBOURS_MAX), n)
  throw new PageMissing([...behind, ...before.reverse()].map(({ page }) => page))
}

/** Bytes of memory that a page takes beside its rows, in V8 and in the allocator. */
const PAGE_BYTES = 480

/** Bytes that pages with so many numbers in all take. */
export const bytesOf = (pages: number, numbers: number): number => pages * PAGE_BYTES + numbers * 4

/** The four bytes of a hex id from a place on, as a number. */
const wordAt = (id: string, place: number): number => Number.parseInt(id.slice(place, place + 8), 16) | 0

/** An id of 24 hex digits as three numbers. */
export const idWords = (id: string): readonly [number, number, number] => [wordAt(id, 0), wordAt(id, 8), wordAt(id, 16)]

const toHex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0')

/** The id whose numbers stand at a place. */
export const idAt = (numbers: Int32Array, at: number): string =>
  toHex(numbers[at] as number) + toHex(numbers[at + 1] as number) + toHex(numbers[at + 2] as number)
