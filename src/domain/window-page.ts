import { endAt, type Held, putHeld, startAt, WIDTH, withoutUnused } from './held.ts'
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
export const windowPage = (rows: Rows): WindowPage => {
  const { numbers, texts } = withoutUnused(rows)
  const size = numbers.length / WIDTH
  const [start, firstEnd, end] = [startAt(numbers, 0), endAt(numbers, 0), endAt(numbers, size - 1)]
  return { page: makePage(numbers, texts), size, start, firstEnd, end }
}

export const part = ({ numbers, texts }: Rows, from: number, to?: number): Rows => ({
  numbers: numbers.slice(from * WIDTH, to === undefined ? undefined : to * WIDTH),
  texts,
})

/** Bytes of a page's buffer are a multiple of this. */
const BUFFER_STEP = 512

/**
 * Zeros. Pages are replaced all the time by others of nearly their size: of few sizes each takes the place of a former one,
 * while of any size they leave holes, which were a third of the memory of five million windows.
 */
const roomFor = (length: number): Int32Array => {
  const bytes = Math.ceil((length * Int32Array.BYTES_PER_ELEMENT) / BUFFER_STEP) * BUFFER_STEP
  return new Int32Array(new ArrayBuffer(bytes), 0, length)
}

/** Rows with a window more at a place. */
export const grown = ({ numbers, texts }: Rows, place: number, held: Held): Rows => {
  const changed = roomFor(numbers.length + WIDTH)
  changed.set(numbers.subarray(0, place * WIDTH))
  changed.set(numbers.subarray(place * WIDTH), (place + 1) * WIDTH)
  const known = texts.indexOf(held.user_id)
  putHeld(changed, place, held, known === -1 ? texts.length : known)
  return { numbers: changed, texts: known === -1 ? [...texts, held.user_id] : texts }
}

export const NO_ROWS: Rows = { numbers: new Int32Array(0), texts: [] }
