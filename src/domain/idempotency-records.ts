import { factsOf, type Recorded } from './event.ts'
import { elementAt, insertAt, removeAt, type SortedList, seek } from './values/sorted-list.ts'
import type { UnixMilliseconds } from './values/units.ts'

/** A command recorded under an idempotency key. */
export interface IdempotencyRecord {
  /** Revision of the command's last event. A repeated request is answered with the object at this revision. */
  readonly revision: number
  readonly _id: string
  /** Whether the command created the object and was answered with 201. */
  readonly created: boolean
}

interface KeyedRecord extends IdempotencyRecord {
  /** HMACs of the key and of the request. */
  readonly name: string
  readonly request: string
  readonly time: UnixMilliseconds
}

/** Idempotency records of a stream, by name. */
export type IdempotencyRecords = SortedList<KeyedRecord>

const HOUR_MS = 3_600_000
/** Minimum lifetime of a record. */
export const RECORD_LIFETIME_MS = 24 * HOUR_MS
/** What is older is dropped by the first event of each half of a day. */
const PERIOD_MS = 12 * HOUR_MS

/** The two HMACs of a recorded key (see commands/idempotency-key.ts). */
const splitKey = (key: string): readonly [name: string, request: string] => {
  const dot = key.indexOf('.')
  return [key.slice(0, dot), key.slice(dot + 1)]
}

const seekName = (records: IdempotencyRecords, name: string) => seek(records, (record) => record.name >= name)

export const subjectId = ({ data }: Recorded): string =>
  '_id' in data ? data._id : 'sut_id' in data ? (data.sut_id ?? '') : ''

const unexpired = (records: IdempotencyRecords, now: UnixMilliseconds): IdempotencyRecords =>
  records.map((chunk) => chunk.filter(({ time }) => time > now - RECORD_LIFETIME_MS)).filter(({ length }) => length > 0)

/** Drops the record of a key whose request came to nothing, so that a retry is decided anew. */
export const forgetRecord = (records: IdempotencyRecords, key: string): IdempotencyRecords => {
  const [name] = splitKey(key)
  const place = seekName(records, name)
  return elementAt(records, place)?.name === name ? removeAt(records, place) : records
}

/**
 * Adds the event's record, if it has an idempotency key, and drops expired records.
 *
 * @param before time of the event before it in its stream
 */
export const addRecord = (
  records: IdempotencyRecords,
  event: Recorded,
  time: UnixMilliseconds,
  before: UnixMilliseconds,
): IdempotencyRecords => {
  const isPeriodNew = Math.floor(before / PERIOD_MS) !== Math.floor(time / PERIOD_MS)
  const kept = isPeriodNew ? unexpired(records, time) : records
  const { key } = event.metadata
  if (key === undefined) return kept
  const [name, request] = splitKey(key)
  const created = factsOf(event.type).creates === true
  const record = { name, request, revision: event.revision, _id: subjectId(event), created, time }
  const others = forgetRecord(kept, key)
  return insertAt(others, seekName(others, name), record)
}

/** The record for a key since a time, or `reused` if the key came with another request. */
export const findRecord = (
  records: IdempotencyRecords,
  key: string,
  since: UnixMilliseconds = 0,
): IdempotencyRecord | 'reused' | undefined => {
  const [name, request] = splitKey(key)
  const record = elementAt(records, seekName(records, name))
  if (record?.name !== name || record.time < since) return undefined
  if (record.request !== request) return 'reused'
  const { revision, _id, created } = record
  return { revision, _id, created }
}
