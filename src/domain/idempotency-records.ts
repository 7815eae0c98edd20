import { factsOf, type Recorded } from './event.ts'
import { elementAt, insertAt, removeAt, type SortedList, seek } from './values/sorted-list.ts'

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
}

/** Records made within half a day, by name. They leave together. */
interface Period {
  /** Unix milliseconds of the oldest and the newest record. */
  readonly oldest: number
  readonly newest: number
  readonly records: SortedList<KeyedRecord>
}

/** Idempotency records of a stream, the oldest period first. */
export type IdempotencyRecords = readonly Period[]

const HOUR_MS = 3_600_000
/** Minimum lifetime of a record. */
const RECORD_LIFETIME_MS = 24 * HOUR_MS
/** A record may outlive that by this much. */
const PERIOD_MS = 12 * HOUR_MS

/** The two HMACs of a recorded key (see commands/idempotency-key.ts). */
const splitKey = (key: string): readonly [name: string, request: string] => {
  const dot = key.indexOf('.')
  return [key.slice(0, dot), key.slice(dot + 1)]
}

const seekName = (records: SortedList<KeyedRecord>, name: string) => seek(records, (record) => record.name >= name)

const without = (records: SortedList<KeyedRecord>, name: string): SortedList<KeyedRecord> => {
  const place = seekName(records, name)
  return elementAt(records, place)?.name === name ? removeAt(records, place) : records
}

export const subjectId = ({ data }: Recorded): string =>
  '_id' in data ? data._id : 'sut_id' in data ? (data.sut_id ?? '') : ''

/** Records that may not be older than their lifetime at a time. */
export const unexpired = (keys: IdempotencyRecords, time: number): IdempotencyRecords =>
  keys.filter(({ newest }) => newest > time - RECORD_LIFETIME_MS)

/** Adds the event's record, if it has an idempotency key, and drops expired records. */
export const addRecord = (keys: IdempotencyRecords, event: Recorded, time: number): IdempotencyRecords => {
  const { key } = event.metadata
  if (key === undefined) return keys
  const [name, request] = splitKey(key)
  const created = factsOf(event.type).creates === true
  const record = { name, request, revision: event.revision, _id: subjectId(event), created }
  const kept = unexpired(keys, time)
  const last = kept.at(-1)
  if (last === undefined || time - last.oldest > PERIOD_MS)
    return [...kept, { oldest: time, newest: time, records: [[record]] }]
  const others = without(last.records, name)
  return kept.with(-1, { ...last, newest: time, records: insertAt(others, seekName(others, name), record) })
}

/** Drops the record of a key whose request came to nothing, so that a retry is decided anew. */
export const forgetRecord = (keys: IdempotencyRecords, key: string): IdempotencyRecords => {
  const [name] = splitKey(key)
  return keys.map((period) => ({ ...period, records: without(period.records, name) }))
}

/** The record for a key, or `reused` if the key came with another request. */
export const findRecord = (keys: IdempotencyRecords, key: string): IdempotencyRecord | 'reused' | undefined => {
  const [name, request] = splitKey(key)
  const record = keys
    .map(({ records }) => elementAt(records, seekName(records, name)))
    .findLast((each) => each?.name === name)
  if (record === undefined) return undefined
  if (record.request !== request) return 'reused'
  const { revision, _id, created } = record
  return { revision, _id, created }
}
