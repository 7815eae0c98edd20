import { idAt, idWords } from './calendar/page.ts'
import { makeSortedRuns, type Runs, runsBytes } from './calendar/sorted-runs.ts'
import type { Recorded } from './event.ts'

/** A command that was recorded under a retry key. */
export interface IdempotencyRecord {
  /** The revision of the command's last event: its answer is the object as of then. */
  readonly revision: number
  /** The object the command was about. */
  readonly _id: string
  /** Whether the command created the object: it was answered 201. */
  readonly created: boolean
}

/** The retry keys of a stream. */
export type IdempotencyRecords = Runs

/**
 * Numbers of a key: three of its name, by which it is found, two of its request, its revision (the other way round where it
 * created its object) and three of the object's id. 96 bits tell keys apart: of a million, two are taken for each other
 * once in 10^17; 64 bits tell the requests apart that come under one key.
 */
const [REQUEST, REVISION, ID, WIDTH] = [3, 5, 6, 9]

const HOUR = 3_600_000
/** Milliseconds: for how long a retry key is known at least. */
export const RECORD_LIFETIME = 24 * HOUR

const SHAPE = { width: WIDTH, key: REQUEST, keptFor: RECORD_LIFETIME, spanMax: 12 * HOUR, keepMin: 0 }
const runs = makeSortedRuns(SHAPE)

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

/** Numbers of the key alone, without its request: the first of the two HMACs of what is recorded. */
export const nameWords = (key: string): number[] => wordsIn(key, 0, REQUEST)
/** See commands/retry-key.ts. */
const REQUEST_AT = 23
const requestWords = (key: string): number[] => wordsIn(key, REQUEST_AT, REVISION - REQUEST)

/** What an event is about. */
const subjectId = ({ data }: Recorded): string =>
  '_id' in data ? data._id : 'sut_id' in data ? (data.sut_id ?? '') : ''

/** `keys` after an event at a time, with the event's own as the newest. */
export const addRecord = (keys: IdempotencyRecords, event: Recorded, time: number): IdempotencyRecords => {
  const { key } = event.metadata
  if (key === undefined) return keys
  const created = event.type === 'SutCreated' || event.type === 'ReservationCreated'
  const revision = created ? ~event.revision : event.revision
  return runs.add(keys, [...nameWords(key), ...requestWords(key), revision, ...idWords(subjectId(event))], time)
}

/** What was recorded under a key; `reused` when it came with another request then. */
export const findRecord = (keys: IdempotencyRecords, key: string): IdempotencyRecord | 'reused' | undefined => {
  const found = runs.find(keys, nameWords(key))
  if (found === undefined) return undefined
  const { numbers, at } = found
  if (!requestWords(key).every((word, n) => numbers[at + REQUEST + n] === word)) return 'reused'
  const revision = numbers[at + REVISION] as number
  return { revision: revision < 0 ? ~revision : revision, _id: idAt(numbers, at + ID), created: revision < 0 }
}

/** Bytes of memory that keys take when all of them are there. */
export const recordsBytes = (keys: IdempotencyRecords): number => runsBytes(keys, SHAPE)
