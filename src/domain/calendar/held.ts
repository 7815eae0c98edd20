import { idAt, idWords, type Rows } from './page.ts'
import type { Window } from './window.ts'

/** A current reservation: its window, its user and the UTC offsets its ends are written in. */
export interface Held extends Window {
  readonly _id: string
  readonly user_id: string
  readonly startOffset: number
  readonly endOffset: number
  /** Milliseconds from the start to the reservation's creation; 0 if it was made before its start. */
  readonly lateness: number
  /** Whether its start has been recorded. */
  readonly started: boolean
  /** The client address it is bound to, as a keyed hash; null if to none. */
  readonly client: string | null
}

/** When a reservation begins to run, in Unix milliseconds. */
export const startDue = ({ start, lateness }: Held): number => start * 1000 + lateness

/** When it ends, in Unix milliseconds. */
export const endDue = ({ end }: Held): number => end * 1000

/** Lateness is below a quarter-hour, unless a clock was wrong; above this it counts as this. */
export const LATENESS_MAX = 0x3fff_ffff

/**
 * 32-bit numbers per window in a page:
 * - the low words of start and end,
 * - three words of the id,
 * - one word with the high byte of start, and twice 12 bits that index the page's texts: the user id, and the client
 *   plus one, or 0 if there is none,
 * - one word with the two UTC offsets, 16 bits each,
 * - one word with the lateness, and a bit that says whether the start has been recorded.
 */
export const WIDTH = 8
const [START, END, ID, MORE, OFFSETS, SCHEDULE] = [0, 1, 2, 5, 6, 7]
const STARTED = 0x4000_0000
const HIGH = 0x1_0000_0000
const INDEX = 0xfff

/** Start of the `n`th window, in Unix seconds. */
export const startAt = (numbers: Int32Array, n: number): number =>
  ((numbers[n * WIDTH + MORE] as number) >> 24) * HIGH + ((numbers[n * WIDTH + START] as number) >>> 0)

// The length of a window fits in 32 bits, which count 136 years.
export const endAt = (numbers: Int32Array, n: number): number =>
  startAt(numbers, n) + (((numbers[n * WIDTH + END] as number) - (numbers[n * WIDTH + START] as number)) >>> 0)

export const heldAt = ({ numbers, texts }: Rows, n: number): Held => {
  const at = n * WIDTH
  const more = numbers[at + MORE] as number
  const offsets = numbers[at + OFFSETS] as number
  const schedule = numbers[at + SCHEDULE] as number
  return {
    _id: idAt(numbers, at + ID),
    user_id: texts[(more >> 12) & INDEX] as string,
    start: startAt(numbers, n),
    end: endAt(numbers, n),
    startOffset: offsets >> 16,
    endOffset: (offsets << 16) >> 16,
    lateness: schedule & LATENESS_MAX,
    started: (schedule & STARTED) !== 0,
    client: (more & INDEX) === 0 ? null : (texts[(more & INDEX) - 1] as string),
  }
}

const withText = (texts: readonly string[], text: string | null): readonly string[] =>
  text === null || texts.includes(text) ? texts : [...texts, text]

/** Writes a row. Returns the page's texts, with the row's own among them. */
export const putHeld = (numbers: Int32Array, n: number, held: Held, before: readonly string[]): readonly string[] => {
  const texts = withText(withText(before, held.user_id), held.client)
  const at = n * WIDTH
  numbers[at + START] = held.start
  numbers[at + END] = held.end
  const [first, second, third] = idWords(held._id)
  numbers[at + ID] = first
  numbers[at + ID + 1] = second
  numbers[at + ID + 2] = third
  const client = held.client === null ? 0 : texts.indexOf(held.client) + 1
  numbers[at + MORE] = (Math.floor(held.start / HIGH) << 24) | (texts.indexOf(held.user_id) << 12) | client
  numbers[at + OFFSETS] = (held.startOffset << 16) | (held.endOffset & 0xffff)
  numbers[at + SCHEDULE] = held.lateness | (held.started ? STARTED : 0)
  return texts
}

/** Index of the window with an id in a page, or -1. */
export const findRow = (numbers: Int32Array, [first, second, third]: readonly [number, number, number]): number => {
  for (let at = ID; at < numbers.length; at += WIDTH) {
    // Compare the last word first: it is random, while ids made in the same second share the first.
    if (numbers[at + 2] === third && numbers[at + 1] === second && numbers[at] === first) return (at - ID) / WIDTH
  }
  return -1
}

/** Drops unused texts once there are more texts than rows can refer to. */
export const dropUnusedTexts = ({ numbers, texts }: Rows): Rows => {
  if (texts.length <= (2 * numbers.length) / WIDTH) return { numbers, texts }
  let used: readonly string[] = []
  const changed = numbers.slice()
  for (let n = 0; n < changed.length / WIDTH; n++) used = putHeld(changed, n, heldAt({ numbers, texts }, n), used)
  return { numbers: changed, texts: used }
}
