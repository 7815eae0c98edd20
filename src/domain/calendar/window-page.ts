import { dropUnusedTexts, endAt, type Held, putHeld, startAt, WIDTH } from './held.ts'
import { makePage, type Page, type Rows } from './page.ts'

/** A page of consecutive windows, with the metadata that stays in memory. */
export interface WindowPage {
  readonly page: Page
  readonly size: number
  /** Unix seconds: start and end of the first window, end of the last. */
  readonly start: number
  readonly firstEnd: number
  readonly end: number
}

/** Index of the first of `count` items that ends after a moment. */
export const firstEndingAfter = (count: number, moment: number, endOf: (n: number) => number): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (endOf(middle) > moment) high = middle
    else low = middle + 1
  }
  return low
}

export const rowEndingAfter = ({ numbers }: Rows, moment: number): number =>
  firstEndingAfter(numbers.length / WIDTH, moment, (n) => endAt(numbers, n))

/** The rows must not be empty. */
export const makeWindowPage = (rows: Rows): WindowPage => {
  const { numbers, texts } = dropUnusedTexts(rows)
  const size = numbers.length / WIDTH
  const [start, firstEnd, end] = [startAt(numbers, 0), endAt(numbers, 0), endAt(numbers, size - 1)]
  return { page: makePage(numbers, texts), size, start, firstEnd, end }
}

export const sliceRows = ({ numbers, texts }: Rows, from: number, to?: number): Rows => ({
  numbers: numbers.slice(from * WIDTH, to === undefined ? undefined : to * WIDTH),
  texts,
})

/** Page buffers are a multiple of this many bytes. */
const BUFFER_STEP = 512

const numbersIn = (buffer: ArrayBuffer): Int32Array => new Int32Array(buffer)

/**
 * Allocates zeros. Pages are constantly replaced by pages of similar size. With few buffer sizes, each reuses the
 * memory of a previous one. Arbitrary sizes fragmented the heap: a third of the memory of five million windows. If
 * there is spare room, the last number of the buffer holds the length in use.
 */
const allocate = (length: number): Int32Array => {
  const bytes = Math.ceil((length * Int32Array.BYTES_PER_ELEMENT) / BUFFER_STEP) * BUFFER_STEP
  const all = numbersIn(new ArrayBuffer(bytes))
  if (length < all.length) all[all.length - 1] = length
  return all.subarray(0, length)
}

/**
 * Appends a row of zeros in the same buffer. Holders of the shorter array do not see it. Returns undefined if there is
 * no room or another row was already appended.
 */
const appendInPlace = (numbers: Int32Array): Int32Array | undefined => {
  const all = numbersIn(numbers.buffer as ArrayBuffer)
  const length = numbers.length + WIDTH
  if (length >= all.length || all[all.length - 1] !== numbers.length) return undefined
  all[all.length - 1] = length
  return all.subarray(0, length)
}

const copyWithGap = (numbers: Int32Array, place: number): Int32Array => {
  const changed = allocate(numbers.length + WIDTH)
  changed.set(numbers.subarray(0, place * WIDTH))
  changed.set(numbers.subarray(place * WIDTH), (place + 1) * WIDTH)
  return changed
}

/** Inserts a window at an index. */
export const insertRow = ({ numbers, texts }: Rows, place: number, held: Held): Rows => {
  const isLast = place * WIDTH === numbers.length
  const changed = (isLast ? appendInPlace(numbers) : undefined) ?? copyWithGap(numbers, place)
  return { numbers: changed, texts: putHeld(changed, place, held, texts) }
}

export const NO_ROWS: Rows = { numbers: new Int32Array(0), texts: [] }
