import type { Window } from './window.ts'

/**
 * The windows of a SUT by start, none overlapping another, so that their ends are sorted too. They are in pages, none of
 * them empty: a calendar with one window more shares all pages but one with the calendar before it, which costs no more to
 * keep and to collect where thousands are ahead than where a few are.
 */
export type Calendar<W extends Window = Window> = readonly Page<W>[]
type Page<W> = readonly W[]

const PAGE_MAX = 32

/** The index of the first that ends after a moment. */
const firstEndingAfter = <A>(all: readonly A[], moment: number, endOf: (one: A) => number): number => {
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (endOf(all[middle] as A) > moment) high = middle
    else low = middle + 1
  }
  return low
}

const endOf = ({ end }: Window): number => end
const endOfPage = (page: Page<Window>): number => (page[page.length - 1] as Window).end

/** The windows that end after a moment, in Unix seconds, by start. */
export const endingAfter = function* <W extends Window>(calendar: Calendar<W>, moment: number): Generator<W> {
  const first = firstEndingAfter(calendar, moment, endOfPage)
  for (let n = first; n < calendar.length; n++) {
    const page = calendar[n] as Page<W>
    for (let i = n === first ? firstEndingAfter(page, moment, endOf) : 0; i < page.length; i++) yield page[i] as W
  }
}

/** The windows that overlap the given one, by start, at most `limit`. */
export const overlapping = <W extends Window>(calendar: Calendar<W>, wanted: Window, limit: number): W[] => {
  const found: W[] = []
  for (const window of endingAfter(calendar, wanted.start)) {
    if (window.start >= wanted.end || found.length === limit) break
    found.push(window)
  }
  return found
}

/** The earliest free window of `length` seconds that starts at or after `from` and not after `latest`. */
export const nextFree = (calendar: Calendar, from: number, length: number, latest: number): Window | undefined => {
  let start = from
  for (const window of endingAfter(calendar, from)) {
    if (window.start >= start + length) break
    start = Math.max(start, window.end)
  }
  return start <= latest ? { start, end: start + length } : undefined
}

/** With a window that overlaps none of them. */
export const inserted = <W extends Window>(calendar: Calendar<W>, window: W): Calendar<W> => {
  const last = Math.max(calendar.length - 1, 0)
  const n = Math.min(firstEndingAfter(calendar, window.start, endOfPage), last)
  const page = calendar[n] ?? []
  const grown = page.toSpliced(firstEndingAfter(page, window.start, endOf), 0, window)
  if (grown.length <= PAGE_MAX) return calendar.toSpliced(n, 1, grown)
  return calendar.toSpliced(n, 1, grown.slice(0, PAGE_MAX / 2), grown.slice(PAGE_MAX / 2))
}

/** With what `change` makes of each window, in the same order; without those of which it makes nothing. */
export const filterMap = <W extends Window>(calendar: Calendar<W>, change: (window: W) => W | undefined): Calendar<W> =>
  calendar.map((page) => page.map(change).filter((window) => window !== undefined)).filter((page) => page.length > 0)

/** Without what is over at a moment in Unix seconds. */
export const notOver = <W extends Window>(calendar: Calendar<W>, moment: number): Calendar<W> => {
  const n = firstEndingAfter(calendar, moment, endOfPage)
  const page = calendar[n] ?? []
  const first = firstEndingAfter(page, moment, endOf)
  if (first === 0) return n === 0 ? calendar : calendar.slice(n)
  return [page.slice(first), ...calendar.slice(n + 1)]
}

/** How many windows there are. */
export const sizeOf = (calendar: Calendar): number => {
  let size = 0
  for (const page of calendar) size += page.length
  return size
}
