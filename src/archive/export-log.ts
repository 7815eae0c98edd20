import { type EventType, eventDeclarations, type Recorded, sutIdOf } from '../domain/event.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import { type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import type { StoredRecord } from '../event-store/event-store.ts'
import { decodeEvent } from '../event-store/stored-event.ts'
import type { ExportFormat } from './export-formats.ts'

/** A bound in the log: a public position, or the first event recorded at or after a Unix time in milliseconds. */
export type Bound = { readonly position: PublicPosition } | { readonly time: number }

export interface ExportFilter {
  readonly from: Bound | undefined
  /** Exclusive. */
  readonly to: Bound | undefined
  /** Empty: all types. */
  readonly types: ReadonlySet<string>
  readonly sutId: string | undefined
}

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventDeclarations, type)

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

const isWanted = (event: Recorded, { from, to, types, sutId }: ExportFilter): boolean => {
  if (types.size > 0 && !types.has(event.type)) return false
  if (sutId !== undefined && sutIdOf(event) !== sutId) return false
  const time = epochMillisecondsOf(event.metadata.time)
  const isEarly = from !== undefined && 'time' in from && time < from.time
  return !isEarly && (to === undefined || !('time' in to) || time < to.time)
}

/** Characters per piece. */
const CHUNK = 65_536

interface ExportOptions {
  /** The name of the log. */
  readonly origin: string
  readonly wanted: ExportFilter
  /** Undefined for leaves: the events as they are stored. */
  readonly format: ExportFormat | undefined
  readonly onProgress: (done: number) => void
}

/**
 * The events of a log that are wanted, as pieces of a file. Counts them in `exported`.
 *
 * @param records as stored, from the first position of the span on
 * @throws UndecodableEvent `stream@revision: /path: why`
 * @throws StoreUnavailable when the log cannot be read to its end
 */
export async function* exportLog(
  records: AsyncIterable<readonly StoredRecord[]>,
  { origin, wanted, format, onProgress }: ExportOptions,
  exported: Exported,
): AsyncGenerator<string> {
  const { first, end } = spanOf(wanted)
  const lineOf = ({ text, storePosition }: StoredRecord, position: PublicPosition): string | undefined => {
    if (format === undefined) return `${text}\n`
    const event = decodeEvent(text, storePosition)
    return isWanted(event, wanted) ? format.line({ event, position, origin }) : undefined
  }
  let piece = format?.head ?? ''
  let next: number = first
  for await (const page of records) {
    for (const record of page.slice(0, Math.max(end - next, 0))) {
      const position = toPublicPosition(next++)
      const line = lineOf(record, position)
      if (line === undefined) continue
      piece += line
      exported.events++
      exported.first ??= position
      exported.last = position
    }
    onProgress(next)
    if (piece.length >= CHUNK) {
      yield piece
      piece = ''
    }
    if (next >= end) break
  }
  if (piece !== '') yield piece
}
