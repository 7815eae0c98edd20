import { idAt, idWords, type Rows } from './page.ts'
import type { Window } from './window.ts'

/** A current reservation: its window, its user and the UTC offsets its ends are written in. */
export interface Held extends Window {
  readonly _id: string
  readonly user_id: string
  readonly startOffset: number
  readonly endOffset: number
}

/**
 * 32-bit numbers per window in a page:
 * - the low words of start and end,
 * - three words of the id,
 * - one word with the high byte of start, a byte that indexes the user id in the page's texts, and 16 unused bits,
 * - one word with the two UTC offsets, 16 bits each.
 */
export const WIDTH = 7
const [START, END, ID, MORE, OFFSETS] = [0, 1, 2, 5, 6]
const HIGH = 0x1_0000_0000

/** Start of the `n`th window, in Unix seconds. */
export const startAt = (numbers: Int32Array, n: number): number =>
  ((numbers[n * WIDTH + MORE] as number) >> 24) * HIGH + ((numbers[n * WIDTH + START] as number) >>> 0)

// The length of a window fits in 32 bits, which count 136 years.
export const endAt = (numbers: Int32Array, n: number): number =>
  startAt(numbers, n) + (((numbers[n * WIDTH + END] as number) - (numbers[n * WIDTH + START] as number)) >>> 0)

export const heldAt = ({ numbers, texts }: Rows, n: number): Held => {
  const at = n * WIDTH
  const offsets = numbers[at + OFFSETS] as number
  return {
    _id: idAt(numbers, at + ID),
    user_id: texts[((numbers[at + MORE] as number) >> 16) & 0xff] as string,
    start: startAt(numbers, n),
    end: endAt(numbers, n),
    startOffset: offsets >> 16,
    endOffset: (offsets << 16) >> 16,
  }
}

/** @param user index of the user id in the page's texts */
export const putHeld = (numbers: Int32Array, n: number, held: Held, user: number): void => {
  const at = n * WIDTH
  numbers[at + START] = held.start
  numbers[at + END] = held.end
  const [first, second, third] = idWords(held._id)
  numbers[at + ID] = first
  numbers[at + ID + 1] = second
  numbers[at + ID + 2] = third
  numbers[at + MORE] = (Math.floor(held.start / HIGH) << 24) | (user << 16)
  numbers[at + OFFSETS] = (held.startOffset << 16) | (held.endOffset & 0xffff)
}

/** Index of the window with an id in a page, or -1. */
export const findRow = (numbers: Int32Array, [first, second, third]: readonly [number, number, number]): number => {
  for (let at = ID; at < numbers.length; at += WIDTH) {
    // Compare the last word first: it is random, while ids made in the same second share the first.
    if (numbers[at + 2] === third && numbers[at + 1] === second && numbers[at] === first) return (at - ID) / WIDTH
  }
  return -1
}

/** Drops unused texts once there are more texts than rows. */
export const dropUnusedTexts = ({ numbers, texts }: Rows): Rows => {
  if (texts.length <= numbers.length / WIDTH) return { numbers, texts }
  const used: string[] = []
  const changed = numbers.slice()
  for (let at = MORE; at < changed.length; at += WIDTH) {
    const more = changed[at] as number
    const text = texts[(more >> 16) & 0xff] as string
    const place = used.indexOf(text)
    changed[at] = (more & ~(0xff << 16)) | ((place === -1 ? used.push(text) - 1 : place) << 16)
  }
  return { numbers: changed, texts: used }
}
