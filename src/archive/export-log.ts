import { type EventType, eventDeclarations, sutIdOf } from '../domain/event.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import { type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import type { StoredRecord } from '../event-store/event-store.ts'
import { decodeEvent } from '../event-store/stored-event.ts'
import type { PositionedEvent } from './export-formats.ts'

/** A bound in the log: a public position, or the first event recorded at or after a Unix time in milliseconds. */
export type Bound = { readonly position: PublicPosition } | { readonly time: number }

/** Which events to export. */
export interface ExportFilter {
  readonly from: Bound | undefined
  /** Exclusive. */
  readonly to: Bound | undefined
  /** Empty: all types. */
  readonly types: ReadonlySet<string>
  readonly sutId: string | undefined
}

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventDeclarations, type)

/** Lines in the order of the log, perhaps none, and how many of its events have been read with them. */
export interface ExportedLines {
  readonly lines: readonly { readonly position: number; readonly text: string }[]
  readonly done: number
}

/** How many events have been exported, and the positions of the first and the last; null if there is none. */
export interface Exported {
  events: number
  first: number | null
  last: number | null
}

/** The position before which an export begins, and that before which it ends. */
export const spanOf = ({ from, to }: ExportFilter) => ({
  first: from !== undefined && 'position' in from ? from.position : 0,
  end: to !== undefined && 'position' in to ? to.position : Number.MAX_SAFE_INTEGER,
})

const isWanted = ({ event }: PositionedEvent, { from, to, types, sutId }: ExportFilter): boolean => {
  if (types.size > 0 && !types.has(event.type)) return false
  if (sutId !== undefined && sutIdOf(event) !== sutId) return false
  const time = epochMillisecondsOf(event.metadata.time)
  const isEarly = from !== undefined && 'time' in from && time < from.time
  return !isEarly && (to === undefined || !('time' in to) || time < to.time)
}

/**
 * The events of a log that are wanted, as lines.
 *
 * @param records as stored, from the first position of the span on
 * @param origin the name of the log
 * @param lineOf makes a line of an event; undefined for leaves: the events as they are stored
 * @throws UndecodableEvent `stream@revision: /path: why`
 * @throws StoreUnavailable when the log cannot be read to its end
 */
export async function* linesOfLog(
  records: AsyncIterable<readonly StoredRecord[]>,
  origin: string,
  wanted: ExportFilter,
  lineOf: ((event: PositionedEvent) => string) | undefined,
): AsyncGenerator<ExportedLines> {
  const { first, end } = spanOf(wanted)
  let done = first
  for await (const page of records) {
    const lines = page.slice(0, Math.max(end - done, 0)).flatMap(({ text, storePosition }) => {
      const position = toPublicPosition(done++)
      if (lineOf === undefined) return [{ position, text: `${text}\n` }]
      const positioned = { event: decodeEvent(text, storePosition), position, origin }
      return isWanted(positioned, wanted) ? [{ position, text: lineOf(positioned) }] : []
    })
    yield { lines, done }
    if (done >= end) return
  }
}

/** Characters per piece. */
const CHUNK = 65_536

/** Puts lines together in pieces, and counts them. */
export async function* exportLines(
  head: string,
  batches: AsyncIterable<ExportedLines>,
  onProgress: (done: number) => void,
  exported: Exported,
): AsyncGenerator<string> {
  let chunk = head
  for await (const { lines, done } of batches) {
    for (const { position, text } of lines) {
      chunk += text
      exported.events++
      exported.first ??= position
      exported.last = position
    }
    onProgress(done)
    if (chunk.length >= CHUNK) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}
