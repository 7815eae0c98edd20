import { idAt, idWords, type Packed, type Page } from './calendar/page.ts'
import { makeSortedRuns, type Runs, runsBytes, runsFromDirectory, runsToDirectory } from './calendar/sorted-runs.ts'
import { factsOf, type Recorded } from './event.ts'

/** A command recorded under an idempotency key. */
export interface IdempotencyRecord {
  /** Revision of the command's last event. A repeated request is answered with the object at this revision. */
  readonly revision: number
  /** Id of the command's object if the service assigned it. Imported users have other ids, which do not fit. */
  readonly _id: string
  /** Whether the command created the object and was answered with 201. */
  readonly created: boolean
}

/** Idempotency records of a stream. */
export type IdempotencyRecords = Runs

/**
 * 32-bit words of a record: three of the key's HMAC (the lookup key), two of the request's HMAC, the revision (its
 * bitwise complement if the command created its object), and three of the object's id. 96 bits distinguish keys: among
 * a million, two collide with a probability of 1 in 10^17. 64 bits distinguish requests with the same key.
 */
const [REQUEST, REVISION, ID, WIDTH] = [3, 5, 6, 9]

const HOUR_MS = 3_600_000
/** Minimum lifetime of a record. */
export const RECORD_LIFETIME_MS = 24 * HOUR_MS

const SHAPE = { width: WIDTH, key: REQUEST, keptFor: RECORD_LIFETIME_MS, spanMax: 12 * HOUR_MS }
const runs = makeSortedRuns(SHAPE)

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map((digit, value) => [
    digit.charCodeAt(0),
    value,
  ]),
)

/** Decodes base64url text from an offset to `count` 32-bit words. */
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

/** Words of the key's HMAC, the first of the two recorded HMACs. */
const nameWords = (key: string): number[] => wordsIn(key, 0, REQUEST)
/** Offset of the request's HMAC (see commands/idempotency-key.ts). */
const REQUEST_AT = 23
const requestWords = (key: string): number[] => wordsIn(key, REQUEST_AT, REVISION - REQUEST)

/** Id of the object an event is about. */
export const subjectId = ({ data }: Recorded): string =>
  '_id' in data ? data._id : 'sut_id' in data ? (data.sut_id ?? '') : ''

/** Adds the event's record, if it has an idempotency key, and drops expired records. */
export const addRecord = (keys: IdempotencyRecords, event: Recorded, time: number): IdempotencyRecords => {
  const { key } = event.metadata
  if (key === undefined) return keys
  const revision = factsOf(event.type).creates ? ~event.revision : event.revision
  return runs.add(keys, [...nameWords(key), ...requestWords(key), revision, ...idWords(subjectId(event))], time)
}

/** The record for a key, or `reused` if the key came with another request. */
export const findRecord = (keys: IdempotencyRecords, key: string): IdempotencyRecord | 'reused' | undefined => {
  const found = runs.find(keys, nameWords(key))
  if (found === undefined) return undefined
  const { numbers, at } = found
  if (!requestWords(key).every((word, n) => numbers[at + REQUEST + n] === word)) return 'reused'
  const revision = numbers[at + REVISION] as number
  return { revision: revision < 0 ? ~revision : revision, _id: idAt(numbers, at + ID), created: revision < 0 }
}

/** Bytes of memory that records take with all their pages loaded. */
export const recordsBytes = (keys: IdempotencyRecords): number => runsBytes(keys, SHAPE)

interface WithRecords {
  readonly keys: IdempotencyRecords
}

/**
 * Serialises a state with the pages of its records, which come last.
 *
 * @param directories what stands for other members that are in pages, and `paged` these pages
 */
export const packWithRecords = <S extends WithRecords>(
  state: S,
  directories: { readonly [M in keyof S]?: unknown } = {},
  paged: readonly { readonly page: Page }[] = [],
): Packed => ({
  text: JSON.stringify({ ...state, ...directories, keys: runsToDirectory(state.keys) }),
  pages: [...paged, ...state.keys].map(({ page }) => page),
})

/** The state, with the directories in place of what else was in pages. */
export const unpackWithRecords = <S extends WithRecords>({ text, pages }: Packed): S => {
  const { keys, ...state } = JSON.parse(text) as { readonly keys: number[][] }
  return { ...state, keys: runsFromDirectory(keys, pages.slice(pages.length - keys.length)) } as S
}
