import { idAt, idWords, type Rows } from './page.ts'
import type { Window } from './window.ts'

/** A reservation that holds the SUT: a window with whose it is and the offsets its ends are written in. */
export interface Held extends Window {
  readonly _id: string
  readonly user_id: string
  readonly startOffset: number
  readonly endOffset: number
}

/**
 * Numbers of a held window in a page: the low halves of start and end; three of its id; a byte of the start's high half,
 * a byte for which of the page's texts is the user, and 16 bits to spare; 16 bits for each offset.
 */
export const WIDTH = 7
const [START, END, ID, MORE, OFFSETS] = [0, 1, 2, 5, 6]
const HIGH = 0x1_0000_0000

/** The start of the `n`th window, in Unix seconds. */
export const startAt = (numbers: Int32Array, n: number): number =>
  ((numbers[n * WIDTH + MORE] as number) >> 24) * HIGH + ((numbers[n * WIDTH + START] as number) >>> 0)

// No window is as long as what 32 bits count, which is 136 years.
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

/** @param user which of the page's texts is the user's id */
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

/** The place of the window with an id among those of a page, -1 where it is not. */
export const findRow = (numbers: Int32Array, [first, second, third]: readonly [number, number, number]): number => {
  for (let at = ID; at < numbers.length; at += WIDTH) {
    // The last part first: it is random, where ids made in the same second share the first.
    if (numbers[at + 2] === third && numbers[at + 1] === second && numbers[at] === first) return (at - ID) / WIDTH
  }
  return -1
}

/** Rows with the texts that they refer to and no others, when there have come to be more texts than rows. */
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
