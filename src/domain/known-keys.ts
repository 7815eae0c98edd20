import type { Recorded } from './event.ts'
import { bytesOf, idAt, idWords, makePage, type Page, rowsAt } from './page.ts'

/** A command that was recorded under a retry key. */
export interface KnownKey {
  /** The revision of the command's last event: its answer is the object as of then. */
  readonly revision: number
  /** The object the command was about. */
  readonly _id: string
  /** Whether the command created the object: it was answered 201. */
  readonly created: boolean
}

/**
 * The retry keys of a stream, in runs, oldest first. Keys come into the last, youngest run; when it is full, runs of the
 * same size become one of twice that. So there are few runs to look into, and each key is copied a few times in all. What
 * is forgotten are whole runs, a day after the last of their keys.
 */
export type KnownKeys = readonly Run[]

interface Run {
  readonly page: Page
  readonly size: number
  /** Unix milliseconds: of its oldest and newest key. */
  readonly oldest: number
  readonly newest: number
}

/**
 * Numbers of a key in a run: three of its name, by which rows are sorted, two of its request, its revision (the other way
 * round where it created its object) and three of the object's id. 96 bits tell keys apart: of a million, two are
 * taken for each other once in 10^17; 64 bits tell the requests apart that come under one key.
 */
const WIDTH = 9
const [REQUEST, REVISION, ID] = [3, 5, 6]

const HOUR = 3_600_000
/** Milliseconds: how long a key is known at least. */
const KNOWN_FOR = 24 * HOUR
/** Milliseconds between the oldest and the newest key of a run: for so long a key may be known beyond that. */
const SPAN_MAX = 12 * HOUR
/** Keys of the run that keys come into. */
const YOUNG_MAX = 64
/** Keys of a run at most: two become one in a few milliseconds, for which everybody waits. */
const RUN_MAX = 131_072

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map((digit, value) => [
    digit.charCodeAt(0),
    value,
  ]),
)

/** The first bits of base64url text, from a place on, as so many numbers of 32 bits. */
const wordsIn = (text: string, place: number, count: number): number[] => {
  const words: number[] = []
  let value = 0
  let bits = 0
  for (let at = place; words.length < count; at++) {
    value = value * 64 + (DIGITS.get(text.charCodeAt(at)) ?? 0)
    bits += 6
    if (bits < 32) continue
    bits -= 32
    const word = Math.floor(value / 2 ** bits)
    words.push(word | 0)
    value -= word * 2 ** bits
  }
  return words
}

/** Where the two HMACs of a recorded key begin: see commands/retry-key.ts. */
const [NAME_AT, REQUEST_AT] = [0, 23]

/** Less than 0 where the name of one row comes before that of another. */
const compare = (one: Int32Array, i: number, other: ArrayLike<number>, k: number): number => {
  for (let n = 0; n < REQUEST; n++) {
    const difference = (one[i + n] as number) - (other[k + n] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** The place of the first row whose name is not before the given one. */
const placeOf = (numbers: Int32Array, name: ArrayLike<number>): number => {
  let low = 0
  let high = numbers.length / WIDTH
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(numbers, middle * WIDTH, name, 0) < 0) low = middle + 1
    else high = middle
  }
  return low
}

const has = (numbers: Int32Array, place: number, name: ArrayLike<number>): boolean =>
  place * WIDTH < numbers.length && compare(numbers, place * WIDTH, name, 0) === 0

const runOf = (numbers: Int32Array, oldest: number, newest: number): Run => ({
  page: makePage(numbers),
  size: numbers.length / WIDTH,
  oldest,
  newest,
})

/** A sorted run with a row more, in place of one with the same name. */
const withRow = (numbers: Int32Array, row: readonly number[]): Int32Array => {
  const place = placeOf(numbers, row)
  const rest = place + (has(numbers, place, row) ? 1 : 0)
  const changed = new Int32Array(numbers.length + (rest === place ? WIDTH : 0))
  changed.set(numbers.subarray(0, place * WIDTH))
  changed.set(row, place * WIDTH)
  changed.set(numbers.subarray(rest * WIDTH), (place + 1) * WIDTH)
  return changed
}

/** Two sorted runs as one; of two rows with the same name the younger run's stays. */
const merged = (old: Int32Array, young: Int32Array): Int32Array => {
  const all = new Int32Array(old.length + young.length)
  let [i, k, length] = [0, 0, 0]
  while (i < old.length || k < young.length) {
    const order = i === old.length ? 1 : k === young.length ? -1 : compare(old, i, young, k)
    const [from, at] = order < 0 ? [old, i] : [young, k]
    for (let n = 0; n < WIDTH; n++) all[length++] = from[at + n] as number
    if (order <= 0) i += WIDTH
    if (order >= 0) k += WIDTH
  }
  return length === all.length ? all : all.slice(0, length)
}

/** Runs of which the last two become one, and so on, as long as they are of a size and of one time. */
const settled = (runs: readonly Run[]): readonly Run[] => {
  const [old, young] = runs.slice(-2)
  if (old === undefined || young === undefined || old.size > young.size) return runs
  if (old.size + young.size > RUN_MAX || young.newest - old.oldest > SPAN_MAX) return runs
  const place = runs.length - 2
  const numbers = merged(rowsAt(runs, place).numbers, rowsAt(runs, place + 1).numbers)
  return settled([...runs.slice(0, place), runOf(numbers, old.oldest, young.newest)])
}

const withKey = (runs: readonly Run[], row: readonly number[], time: number): readonly Run[] => {
  const place = runs.length - 1
  const last = runs[place]
  if (last === undefined || last.size >= YOUNG_MAX || time - last.oldest > SPAN_MAX) {
    return [...runs, runOf(Int32Array.from(row), time, time)]
  }
  const young = runOf(withRow(rowsAt(runs, place).numbers, row), last.oldest, time)
  const all = [...runs.slice(0, place), young]
  return young.size < YOUNG_MAX ? all : settled(all)
}

/** What a stream is about: the SUT or reservation of an event. */
const subjectOf = ({ data }: Recorded): string => ('_id' in data ? data._id : 'sut_id' in data ? data.sut_id : '')

/** `keys` after an event at a time: a day's worth at least, with the event's own as the newest. */
export const knownKeys = (keys: KnownKeys, event: Recorded, time: number): KnownKeys => {
  const { key } = event.metadata
  if (key === undefined) return keys
  const created = event.type === 'SutCreated' || event.type === 'ReservationCreated'
  const row = [
    ...wordsIn(key, NAME_AT, REQUEST),
    ...wordsIn(key, REQUEST_AT, REVISION - REQUEST),
    created ? ~event.revision : event.revision,
    ...idWords(subjectOf(event)),
  ]
  const kept = keys.filter(({ newest }) => newest > time - KNOWN_FOR)
  return withKey(kept, row, time)
}

/** What was recorded under a key; `reused` when it came with another request then. */
export const lookUp = (keys: KnownKeys, key: string): KnownKey | 'reused' | undefined => {
  const name = wordsIn(key, NAME_AT, REQUEST)
  for (let n = keys.length - 1; n >= 0; n--) {
    const { numbers } = rowsAt(keys, n)
    const place = placeOf(numbers, name)
    if (!has(numbers, place, name)) continue
    const at = place * WIDTH
    const isSame = wordsIn(key, REQUEST_AT, REVISION - REQUEST).every((word, i) => numbers[at + REQUEST + i] === word)
    if (!isSame) return 'reused'
    const revision = numbers[at + REVISION] as number
    return { revision: revision < 0 ? ~revision : revision, _id: idAt(numbers, at + ID), created: revision < 0 }
  }
  return undefined
}

/** Bytes of memory that keys take when all of them are there. */
export const keysBytes = (keys: KnownKeys): number =>
  bytesOf(
    keys.length,
    keys.reduce((sum, { size }) => sum + size * WIDTH, 0),
  )

/** What is known of each run without its page: a snapshot keeps it beside the pages. */
export const keysDirectoryOf = (keys: KnownKeys): readonly (readonly number[])[] =>
  keys.map(({ size, oldest, newest }) => [size, oldest, newest])

/** The keys with such a directory, which has come out of JSON. */
export const keysOf = (directory: readonly (readonly number[])[], pages: readonly Page[]): KnownKeys =>
  directory.map(([size = 0, oldest = 0, newest = 0], n): Run => ({ page: pages[n] as Page, size, oldest, newest }))
