import { dropUnusedTexts, endAt, type Held, putHeld, startAt, WIDTH } from './held.ts'
import { makePage, type Page, type Rows } from './page.ts'

/** Held windows that lie behind each other, and what is known of them without their rows. */
export interface WindowPage {
  readonly page: Page
  readonly size: number
  /** Unix seconds: of its first window, and the end of its last. */
  readonly start: number
  readonly firstEnd: number
  readonly end: number
}

/** The index of the first that ends after a moment, among so many. */
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

/** At least one row. */
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

/** Bytes of a page's buffer are a multiple of this. */
const BUFFER_STEP = 512

const numbersIn = (buffer: ArrayBuffer): Int32Array => new Int32Array(buffer)

/**
 * Zeros. Pages are replaced all the time by others of nearly their size: of few sizes each takes the place of a former one,
 * while of any size they leave holes, which were a third of the memory of five million windows. Where that leaves room, the
 * last number of the buffer says how many have been taken.
 */
const allocate = (length: number): Int32Array => {
  const bytes = Math.ceil((length * Int32Array.BYTES_PER_ELEMENT) / BUFFER_STEP) * BUFFER_STEP
  const all = numbersIn(new ArrayBuffer(bytes))
  if (length < all.length) all[all.length - 1] = length
  return all.subarray(0, length)
}

/**
 * The same numbers and a row of zeros behind them, in the same buffer: nobody who has the former ones sees what is behind
 * their end. Undefined where there is no room, or where another row has been put there.
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

/** Rows with a window more at a place. */
export const insertRow = ({ numbers, texts }: Rows, place: number, held: Held): Rows => {
  const isLast = place * WIDTH === numbers.length
  const changed = (isLast ? appendInPlace(numbers) : undefined) ?? copyWithGap(numbers, place)
  const known = texts.indexOf(held.user_id)
  putHeld(changed, place, held, known === -1 ? texts.length : known)
  return { numbers: changed, texts: known === -1 ? [...texts, held.user_id] : texts }
}

export const NO_ROWS: Rows = { numbers: new Int32Array(0), texts: [] }
