import { type EventType, eventDeclarations, sutIdOf } from '../domain/event.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import { type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import type { StoredRecord } from '../event-store/event-store.ts'
import { decodeEvent } from '../event-store/stored-event.ts'
import type { ExportFormat, PositionedEvent } from './export-formats.ts'

/** A bound in the log: a public position, or the first event recorded at or after a Unix time in milliseconds. */
export type Bound = { readonly position: PublicPosition } | { readonly time: number }

/** Which events to export. */
export interface ExportFilter {
  readonly from?: Bound | undefined
  /** Exclusive. */
  readonly to?: Bound | undefined
  /** Empty or absent: all types. */
  readonly types?: ReadonlySet<string>
  readonly sutId?: string | undefined
}

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventDeclarations, type)

/** Events in the order of the log, perhaps not all, and how many of the log have been scanned with them. */
export interface ScannedEvents {
  readonly events: readonly PositionedEvent[]
  readonly done: number
}

/** Counts of what has been exported so far. */
export interface Exported {
  events: number
  /** Positions of the first and last exported event; null if there is none. */
  first: number | null
  last: number | null
}

/** Characters per piece. */
const CHUNK = 65_536

const count = (exported: Exported, position: PublicPosition): void => {
  exported.events++
  exported.first ??= position
  exported.last = position
}

const isBeyond = (position: number, to: Bound | undefined): boolean =>
  to !== undefined && 'position' in to && position >= to.position

const isInRange = (position: number, { from, to }: ExportFilter): boolean =>
  !isBeyond(position, to) && (from === undefined || !('position' in from) || position >= from.position)

const isWanted = ({ event, position }: PositionedEvent, wanted: ExportFilter): boolean => {
  const { from, to, types, sutId } = wanted
  if (!isInRange(position, wanted)) return false
  if (types !== undefined && types.size > 0 && !types.has(event.type)) return false
  if (sutId !== undefined && sutIdOf(event) !== sutId) return false
  const { time } = event.metadata
  if (from !== undefined && 'time' in from && epochMillisecondsOf(time) < from.time) return false
  return to === undefined || !('time' in to) || epochMillisecondsOf(time) < to.time
}

export interface LogToExport {
  /** The log's records as stored, from the beginning or after events that are not exported. */
  readonly records: AsyncIterable<readonly StoredRecord[]>
  /** The public position of the first record. */
  readonly first: number
  readonly origin: string
}

/**
 * Reads the events of a log in a range of positions.
 *
 * @throws UndecodableEvent `stream@revision: /path: why`
 * @throws StoreUnavailable when the log cannot be read to its end
 */
export async function* scanLog(
  { records, first, origin }: LogToExport,
  wanted: ExportFilter,
): AsyncGenerator<ScannedEvents> {
  let done = first
  for await (const page of records) {
    const events: PositionedEvent[] = []
    for (const { text, storePosition } of page) {
      const position = toPublicPosition(done++)
      if (isInRange(position, wanted)) events.push({ event: decodeEvent(text, storePosition), position, origin })
    }
    yield { events, done }
  }
}

export interface ExportOptions {
  readonly wanted: ExportFilter
  readonly format: ExportFormat
  /** Called with the number of events scanned. */
  readonly onProgress?: (done: number) => void
}

/** Exports events lazily, in pieces. */
export async function* exportEvents(
  scanned: AsyncIterable<ScannedEvents>,
  { wanted, format, onProgress }: ExportOptions,
  exported: Exported,
): AsyncGenerator<string> {
  let chunk = format.head
  for await (const { events, done } of scanned) {
    for (const positioned of events) {
      if (!isWanted(positioned, wanted)) continue
      chunk += format.line(positioned)
      count(exported, positioned.position)
    }
    onProgress?.(done)
    if (chunk.length >= CHUNK) {
      yield chunk
      chunk = ''
    }
    if (isBeyond(done, wanted.to)) break
  }
  if (chunk !== '') yield chunk
}
