import { bisect } from '../values/bisect.ts'
import { dropUnusedTexts, endAt, findRow, type Held, heldAt, putHeld, startAt, WIDTH } from './held.ts'
import { bytesOf, idWords, makePage, type Page, type Rows, rowsAt } from './page.ts'
import { earliestAfter, reachOf } from './turnaround.ts'
import type { Window } from './window.ts'

/** A page of consecutive windows, with the metadata that stays in memory. */
interface WindowPage {
  readonly page: Page
  readonly size: number
  /** Unix seconds: start and end of the first window, end of the last. */
  readonly start: number
  readonly firstEnd: number
  readonly end: number
}

const rowEndingAfter = ({ numbers }: Rows, moment: number): number =>
  bisect(numbers.length / WIDTH, (n) => endAt(numbers, n) > moment)

/** The rows must not be empty. */
const makeWindowPage = (rows: Rows): WindowPage => {
  const { numbers, texts } = dropUnusedTexts(rows)
  const size = numbers.length / WIDTH
  const [start, firstEnd, end] = [startAt(numbers, 0), endAt(numbers, 0), endAt(numbers, size - 1)]
  return { page: makePage(numbers, texts), size, start, firstEnd, end }
}

const sliceRows = ({ numbers, texts }: Rows, from: number, to?: number): Rows => ({
  numbers: numbers.slice(from * WIDTH, to === undefined ? undefined : to * WIDTH),
  texts,
})

/** Page buffers are a multiple of this many bytes. */
const BUFFER_STEP = 512

/**
 * Allocates zeros. Pages are constantly replaced by pages of similar size. With few buffer sizes, each reuses the
 * memory of a previous one. Arbitrary sizes fragmented the heap: a third of the memory of five million windows.
 */
const allocate = (length: number): Int32Array => {
  const bytes = Math.ceil((length * Int32Array.BYTES_PER_ELEMENT) / BUFFER_STEP) * BUFFER_STEP
  return new Int32Array(new ArrayBuffer(bytes), 0, length)
}

/** Inserts a window at an index. */
const insertRow = ({ numbers, texts }: Rows, place: number, held: Held): Rows => {
  const changed = allocate(numbers.length + WIDTH)
  changed.set(numbers.subarray(0, place * WIDTH))
  changed.set(numbers.subarray(place * WIDTH), (place + 1) * WIDTH)
  return { numbers: changed, texts: putHeld(changed, place, held, texts) }
}

const NO_ROWS: Rows = { numbers: new Int32Array(0), texts: [] }

/**
 * A SUT's windows, sorted by start. Windows never overlap, so their ends are sorted too. They are stored in non-empty
 * pages. Inserting a window copies one page and shares the rest with the previous calendar. The time span of each page
 * stays in memory, so only pages that a query touches are read from disk.
 */
export interface Calendar {
  readonly pages: readonly WindowPage[]
  /** Number of windows. */
  readonly size: number
}

/**
 * Windows per page. Every insert copies a page, so pages must be small. Every page has a fixed cost, so they must not
 * be tiny.
 */
const PAGE_MAX = 128

export const EMPTY: Calendar = { pages: [], size: 0 }

const pageEndingAfter = ({ pages }: Calendar, moment: number): number =>
  bisect(pages.length, (n) => (pages[n] as WindowPage).end > moment)

/** Visits rows that end after a moment, by start, until `visit` returns true. */
const walk = (calendar: Calendar, moment: number, visit: (rows: Rows, n: number) => boolean): void => {
  const first = pageEndingAfter(calendar, moment)
  for (let p = first; p < calendar.pages.length; p++) {
    const rows = rowsAt(calendar.pages, p)
    const { size } = calendar.pages[p] as WindowPage
    for (let n = p === first ? rowEndingAfter(rows, moment) : 0; n < size; n++) if (visit(rows, n)) return
  }
}

/** Windows that end after a moment (Unix seconds), by start, at most `limit`. */
export const findEndingAfter = (calendar: Calendar, moment: number, limit = Number.POSITIVE_INFINITY): Held[] =>
  findOverlapping(calendar, { start: moment, end: Number.POSITIVE_INFINITY }, limit)

/** Windows that overlap the given one, by start, at most `limit`. */
export const findOverlapping = (calendar: Calendar, wanted: Window, limit: number): Held[] => {
  const found: Held[] = []
  walk(calendar, wanted.start, (rows, n) => {
    if (found.length === limit || startAt(rows.numbers, n) >= wanted.end) return true
    found.push(heldAt(rows, n))
    return false
  })
  return found
}

/** The last window that ends at or before a moment. */
export const findLastEnded = (calendar: Calendar, moment: number): Held | undefined => {
  const { pages } = calendar
  const p = Math.min(pageEndingAfter(calendar, moment), pages.length - 1)
  if (p < 0) return undefined
  const rows = rowsAt(pages, p)
  const n = rowEndingAfter(rows, moment)
  if (n > 0) return heldAt(rows, n - 1)
  return p === 0 ? undefined : heldAt(rowsAt(pages, p - 1), (pages[p - 1] as WindowPage).size - 1)
}

/** The first window that starts at or after a moment. */
export const findFirstStarting = (calendar: Calendar, moment: number): Held | undefined => {
  let found: Held | undefined
  walk(calendar, moment, (rows, n) => {
    if (startAt(rows.numbers, n) < moment) return false
    found = heldAt(rows, n)
    return true
  })
  return found
}

/** The earliest window of `length` seconds that can be booked and starts between `from` and `latest`, both included. */
export const findNextFree = (
  calendar: Calendar,
  from: number,
  length: number,
  latest: number,
  turnaround: number,
): Window | undefined => {
  let start = from
  walk(calendar, reachOf({ start: from, end: from }, turnaround).start, ({ numbers }, n) => {
    if (startAt(numbers, n) - turnaround >= start + length || start > latest) return true
    start = Math.max(start, earliestAfter(endAt(numbers, n), turnaround))
    return false
  })
  return start <= latest ? { start, end: start + length } : undefined
}

/** Replaces `count` pages from the `n`th on. */
const splicePages = (calendar: Calendar, n: number, count: number, pages: readonly Rows[], size: number): Calendar => ({
  pages: calendar.pages.toSpliced(n, count, ...pages.filter(({ numbers }) => numbers.length > 0).map(makeWindowPage)),
  size,
})

/** Adds a window. It must not overlap an existing one. */
export const insert = (calendar: Calendar, held: Held): Calendar => {
  const { pages, size } = calendar
  const n = Math.min(pageEndingAfter(calendar, held.start), Math.max(pages.length - 1, 0))
  const page = pages[n]
  const isAtAnEdge = page === undefined || held.start >= page.end || (n === 0 && held.start < page.start)
  // Windows often arrive in time order, ascending or descending. Starting a new page then keeps pages full.
  if (page === undefined || (isAtAnEdge && page.size === PAGE_MAX)) {
    return splicePages(calendar, page && held.start >= page.end ? n + 1 : n, 0, [insertRow(NO_ROWS, 0, held)], size + 1)
  }
  const rows = rowsAt(pages, n)
  const all = insertRow(rows, rowEndingAfter(rows, held.start), held)
  if (page.size < PAGE_MAX) return splicePages(calendar, n, 1, [all], size + 1)
  return splicePages(calendar, n, 1, [sliceRows(all, 0, PAGE_MAX / 2), sliceRows(all, PAGE_MAX / 2)], size + 1)
}

/** Finds the window with an id by scanning: three numbers a row, under a nanosecond each. */
const locate = ({ pages }: Calendar, _id: string): readonly [page: number, row: number] | undefined => {
  const words = idWords(_id)
  for (let p = 0; p < pages.length; p++) {
    const row = findRow(rowsAt(pages, p).numbers, words)
    if (row !== -1) return [p, row]
  }
  return undefined
}

export const find = (calendar: Calendar, _id: string): Held | undefined => {
  const place = locate(calendar, _id)
  return place && heldAt(rowsAt(calendar.pages, place[0]), place[1])
}

/** Merges two neighbouring pages if the result leaves room. */
const mergeNeighbours = (calendar: Calendar, n: number): Calendar => {
  const [one, other] = [calendar.pages[n], calendar.pages[n + 1]]
  if (one === undefined || other === undefined || one.size + other.size > (PAGE_MAX * 3) / 4) return calendar
  const [former, latter] = [rowsAt(calendar.pages, n), rowsAt(calendar.pages, n + 1)]
  let rows = former
  for (let row = 0; row < other.size; row++) rows = insertRow(rows, one.size + row, heldAt(latter, row))
  return splicePages(calendar, n, 2, [rows], calendar.size)
}

/** Removes the window with an id. */
export const remove = (calendar: Calendar, _id: string): Calendar => {
  const place = locate(calendar, _id)
  if (place === undefined) return calendar
  const [p, row] = place
  const rows = rowsAt(calendar.pages, p)
  const numbers = new Int32Array(rows.numbers.length - WIDTH)
  numbers.set(rows.numbers.subarray(0, row * WIDTH))
  numbers.set(rows.numbers.subarray((row + 1) * WIDTH), row * WIDTH)
  const less = splicePages(calendar, p, 1, [{ numbers, texts: rows.texts }], calendar.size - 1)
  return mergeNeighbours(mergeNeighbours(less, p), p - 1)
}

/** Changes the window with an id; not its start. */
export const change = (
  calendar: Calendar,
  _id: string,
  changed: Partial<Pick<Held, 'end' | 'endOffset' | 'started' | 'client' | 'kept'>>,
): Calendar => {
  const place = locate(calendar, _id)
  if (place === undefined) return calendar
  const [p, row] = place
  const { numbers, texts } = rowsAt(calendar.pages, p)
  const held = { ...heldAt({ numbers, texts }, row), ...changed }
  const copy = numbers.slice()
  return splicePages(calendar, p, 1, [{ numbers: copy, texts: putHeld(copy, row, held, texts) }], calendar.size)
}

/** Drops windows that have ended at a moment, in Unix seconds. */
export const dropPast = (calendar: Calendar, moment: number): Calendar => {
  const n = pageEndingAfter(calendar, moment)
  const page = calendar.pages[n]
  if (n === 0 && (page === undefined || page.firstEnd > moment)) return calendar
  const left = calendar.pages.slice(n)
  const gone = calendar.pages.slice(0, n).reduce((sum, { size }) => sum + size, 0)
  const rest = { pages: left, size: calendar.size - gone }
  if (page === undefined || page.firstEnd > moment) return rest
  const rows = rowsAt(left, 0)
  const first = rowEndingAfter(rows, moment)
  return splicePages(rest, 0, 1, [sliceRows(rows, first)], rest.size - first)
}

/** Bytes of memory a calendar takes with all its pages loaded. */
export const calendarBytes = ({ pages, size }: Calendar): number => bytesOf(pages.length, size * WIDTH)

/** Metadata of each page. A snapshot stores it separately from the pages. */
export const toDirectory = ({ pages }: Calendar): readonly (readonly number[])[] =>
  pages.map(({ size, start, firstEnd, end }) => [size, start, firstEnd, end])

/** Rebuilds a calendar from a directory parsed from JSON. */
export const fromDirectory = (directory: readonly (readonly number[])[], pages: readonly Page[]): Calendar => {
  const all = directory.map(([size = 0, start = 0, firstEnd = 0, end = 0], n): WindowPage => {
    return { page: pages[n] as Page, size, start, firstEnd, end }
  })
  return { pages: all, size: all.reduce((sum, { size }) => sum + size, 0) }
}
