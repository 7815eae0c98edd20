import { type EventType, eventData, type Recorded } from '../domain/event.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import { type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import type { StoredRecord } from '../event-store/event-store.ts'
import { decodeEvent } from '../event-store/stored-event.ts'
import { sutIdOf } from '../feed/events/cloud-event.ts'
import type { ExportFormat } from './formats.ts'

/** A bound in the log: a public position, or the first event recorded at or after a Unix time in milliseconds. */
export type Bound = { readonly position: PublicPosition } | { readonly time: number }

/** Which events to export. */
export interface Wanted {
  readonly from?: Bound | undefined
  /** Exclusive. */
  readonly to?: Bound | undefined
  /** Empty or absent: all types. */
  readonly types?: ReadonlySet<string>
  readonly sutId?: string | undefined
}

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventData, type)

export interface ExportOptions {
  /** The log's records as stored, from the beginning or after events that are not exported. */
  readonly records: AsyncIterable<readonly StoredRecord[]>
  /** The public position of the first record. */
  readonly first: number
  readonly wanted: Wanted
  readonly format: ExportFormat
  /** Called with the number of events scanned. */
  readonly onProgress?: (done: number) => void
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

const positionOf = (bound: Bound | undefined, otherwise: number): number =>
  bound !== undefined && 'position' in bound ? bound.position : otherwise

const isWanted = (event: Recorded, { from, to, types, sutId }: Wanted): boolean => {
  if (types !== undefined && types.size > 0 && !types.has(event.type)) return false
  const { metadata } = event
  if (sutId !== undefined && sutIdOf(event) !== sutId) return false
  if (from !== undefined && 'time' in from && epochMillisecondsOf(metadata.time) < from.time) return false
  return to === undefined || !('time' in to) || epochMillisecondsOf(metadata.time) < to.time
}

/**
 * Exports a log lazily, in pieces.
 *
 * @throws UndecodableEvent `stream@revision: /path: why`
 * @throws StoreUnavailable when the log cannot be read to its end
 */
export async function* exportLog(options: ExportOptions, exported: Exported): AsyncGenerator<string> {
  const { records, wanted, format, onProgress } = options
  const [from, to] = [positionOf(wanted.from, 0), positionOf(wanted.to, Number.POSITIVE_INFINITY)]
  let position = options.first
  let chunk = format.head
  for await (const page of records) {
    for (const { text, storePosition } of page) {
      const at = toPublicPosition(position++)
      if (at < from || at >= to) continue
      const event = decodeEvent(text, storePosition)
      if (!isWanted(event, wanted)) continue
      chunk += format.line(event, at)
      count(exported, at)
    }
    onProgress?.(position)
    if (chunk.length >= CHUNK) {
      yield chunk
      chunk = ''
    }
    if (position >= to) break
  }
  if (chunk !== '') yield chunk
}

/** An event at its public position. */
export interface PositionedEvent {
  readonly event: Recorded
  readonly position: PublicPosition
}

export interface ExportEventsOptions<P extends PositionedEvent> extends Pick<ExportOptions, 'wanted' | 'onProgress'> {
  /** Events in the order of the log, perhaps not all. */
  readonly events: AsyncIterable<P>
  readonly head: string
  readonly lineOf: (positioned: P) => string
}

/** Exports events that are not read from a log, lazily, in pieces. */
export async function* exportEvents<P extends PositionedEvent>(
  options: ExportEventsOptions<P>,
  exported: Exported,
): AsyncGenerator<string> {
  const { events, wanted, head, lineOf, onProgress } = options
  const [from, to] = [positionOf(wanted.from, 0), positionOf(wanted.to, Number.POSITIVE_INFINITY)]
  let chunk = head
  for await (const positioned of events) {
    const { event, position } = positioned
    if (position >= to) break
    onProgress?.(position + 1)
    if (position < from || !isWanted(event, wanted)) continue
    chunk += lineOf(positioned)
    count(exported, position)
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
