import { aliveUntil, type Kept } from '../values/keepalive.ts'
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
  /** Seconds after which it is released unless it is kept alive; 0 if it need not be. */
  readonly keepalive: number
  /** Unix milliseconds when it was last kept alive; 0 if it was not. */
  readonly kept: number
  /** Whether its holder has ever kept it alive. Then connections do not. */
  readonly hasHeartbeats: boolean
}

/** When a reservation begins to run, in Unix milliseconds. */
export const startDue = ({ start, lateness }: Pick<Held, 'start' | 'lateness'>): number => start * 1000 + lateness

/** When it ends, in Unix milliseconds. */
export const endDue = ({ end }: Held): number => end * 1000

/** When it is released unless it is kept alive, in Unix milliseconds; undefined if it need not be. */
export const keepaliveDue = (held: Held): number | undefined =>
  held.keepalive === 0 ? undefined : aliveUntil(lifeOf(held))

/** A reservation with `keepalive`, as something that is kept alive. */
export const lifeOf = (held: Pick<Held, 'keepalive' | 'kept' | 'start' | 'lateness'>): Kept => ({
  keepalive: held.keepalive,
  began: startDue(held),
  kept: held.kept,
})

/**
 * 32-bit numbers per window in a page:
 * - the low words of start and end,
 * - three words of the id,
 * - one word with three indexes of the page's texts, 10 bits each: the user id, the client, and the lateness, keepalive
 *   time when it was kept alive and whether its holder did. The last two are one more, or 0 if there is none; few reservations are made after
 *   their start or kept alive,
 * - one word with the high byte of start, a bit that says whether the start has been recorded, and the two UTC offsets
 *   in minutes, 11 bits each.
 */
export const WIDTH = 7
const [START, END, ID, TEXTS, MORE] = [0, 1, 2, 5, 6]
const STARTED = 0x80_0000
const HIGH = 0x1_0000_0000
const INDEX = 0x3ff
const OFFSET = 0x7ff
/** Texts that a row refers to, at most. */
const TEXTS_OF_ROW = 3

/** Start of the `n`th window, in Unix seconds. */
export const startAt = (numbers: Int32Array, n: number): number =>
  ((numbers[n * WIDTH + MORE] as number) >> 24) * HIGH + ((numbers[n * WIDTH + START] as number) >>> 0)

// The length of a window fits in 32 bits, which count 136 years.
export const endAt = (numbers: Int32Array, n: number): number =>
  startAt(numbers, n) + (((numbers[n * WIDTH + END] as number) - (numbers[n * WIDTH + START] as number)) >>> 0)

export const heldAt = ({ numbers, texts }: Rows, n: number): Held => {
  const at = n * WIDTH
  const more = numbers[at + MORE] as number
  const indexes = numbers[at + TEXTS] as number
  const [client, times] = [(indexes >> 10) & INDEX, indexes & INDEX]
  const [lateness = 0, keepalive = 0, kept = 0, heartbeats = 0] =
    times === 0 ? [] : (texts[times - 1] as string).split(' ').map(Number)
  return {
    _id: idAt(numbers, at + ID),
    user_id: texts[indexes >> 20] as string,
    start: startAt(numbers, n),
    end: endAt(numbers, n),
    startOffset: (more << 10) >> 21,
    endOffset: (more << 21) >> 21,
    lateness,
    started: (more & STARTED) !== 0,
    client: client === 0 ? null : (texts[client - 1] as string),
    keepalive,
    kept,
    hasHeartbeats: heartbeats === 1,
  }
}

/** The third text of a row; null if all are 0, as for most reservations. */
const timesText = ({ lateness, keepalive, kept, hasHeartbeats }: Held): string | null => {
  if (keepalive === 0) return lateness === 0 ? null : String(lateness)
  return `${lateness} ${keepalive} ${kept} ${hasHeartbeats ? 1 : 0}`
}

const withText = (texts: readonly string[], text: string | null): readonly string[] =>
  text === null || texts.includes(text) ? texts : [...texts, text]

/** Writes a row. Returns the page's texts, with the row's own among them. */
export const putHeld = (numbers: Int32Array, n: number, held: Held, before: readonly string[]): readonly string[] => {
  const times = timesText(held)
  const texts = withText(withText(withText(before, held.user_id), held.client), times)
  const indexOf = (text: string | null): number => (text === null ? 0 : texts.indexOf(text) + 1)
  const at = n * WIDTH
  numbers[at + START] = held.start
  numbers[at + END] = held.end
  const [first, second, third] = idWords(held._id)
  numbers[at + ID] = first
  numbers[at + ID + 1] = second
  numbers[at + ID + 2] = third
  numbers[at + TEXTS] = (texts.indexOf(held.user_id) << 20) | (indexOf(held.client) << 10) | indexOf(times)
  numbers[at + MORE] =
    (Math.floor(held.start / HIGH) << 24) |
    (held.started ? STARTED : 0) |
    ((held.startOffset & OFFSET) << 11) |
    (held.endOffset & OFFSET)
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
  if (texts.length <= (TEXTS_OF_ROW * numbers.length) / WIDTH) return { numbers, texts }
  let used: readonly string[] = []
  const changed = numbers.slice()
  for (let n = 0; n < changed.length / WIDTH; n++) used = putHeld(changed, n, heldAt({ numbers, texts }, n), used)
  return { numbers: changed, texts: used }
}
