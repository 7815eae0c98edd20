import { isAboutUser, type Recorded, sutIdOf, userOf } from '../domain/event.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import { quoteField, spreadsheetField } from '../domain/values/csv-field.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { escapeLineSeparators } from '../domain/values/text.ts'
import { cloudEvent } from '../feed/events/cloud-event.ts'

/** An event at its public position, of the log with the name `origin`. */
export interface PositionedEvent {
  readonly event: Recorded
  readonly position: PublicPosition
  readonly origin: string
}

/** Members that only some events' data have. */
type Sometimes = Partial<
  Record<'_id' | 'reservation_id' | 'user_id' | 'start_time' | 'end_time', string> & Record<'listen_port', number>
>

/** An exported event, by column name. Columns are published: none changes its meaning. */
export const rowOf = ({ event, position }: Pick<PositionedEvent, 'event' | 'position'>) => {
  const { id, stream, revision, type, metadata } = event
  const data = event.data as Sometimes
  const isOfReservation = data.user_id !== undefined && !isAboutUser(type)
  return {
    position,
    id,
    time: metadata.time,
    stream,
    revision,
    type,
    actor: metadata.actor,
    role: metadata.role,
    request_id: metadata.request_id,
    reason: metadata.reason ?? null,
    sut_id: sutIdOf(event) ?? null,
    reservation_id: data.reservation_id ?? (isOfReservation ? (data._id as string) : null),
    user_id: userOf(event) ?? null,
    start_time: data.start_time ?? null,
    end_time: data.end_time ?? null,
    listen_port: data.listen_port ?? null,
    data,
  }
}

export const COLUMNS = [
  ...['position', 'id', 'time', 'stream', 'revision', 'type', 'actor', 'role', 'request_id', 'reason'],
  ...['sut_id', 'reservation_id', 'user_id', 'start_time', 'end_time', 'listen_port', 'data'],
] as const satisfies readonly (keyof ReturnType<typeof rowOf>)[]

export interface ExportFormat {
  /** The beginning of the file. */
  readonly head: string
  readonly line: (positioned: PositionedEvent) => string
}

const csv = (excel: boolean): ExportFormat => {
  const field = excel ? spreadsheetField : quoteField
  const write = (value: string | number | object | null): string =>
    field(
      typeof value === 'object' && value !== null ? escapeLineSeparators(canonicalJson(value)) : String(value ?? ''),
    )
  return {
    // Without a byte order mark, spreadsheets decode UTF-8 as the machine's code page.
    head: `${excel ? '\ufeff' : ''}${COLUMNS.join(',')}\r\n`,
    line: (positioned) => {
      const row = rowOf(positioned)
      return `${COLUMNS.map((column) => write(row[column])).join(',')}\r\n`
    },
  }
}

const json = (shownOf: (positioned: PositionedEvent) => object): ExportFormat => ({
  head: '',
  line: (positioned) => `${escapeLineSeparators(JSON.stringify(shownOf(positioned)))}\n`,
})

export const FORMATS = ['ndjson', 'csv', 'cloudevents'] as const

/** @param excel whether the file is meant for a spreadsheet */
export const formatOf = (name: (typeof FORMATS)[number], excel: boolean): ExportFormat => {
  if (name === 'csv') return csv(excel)
  return json(name === 'ndjson' ? rowOf : ({ event, position, origin }) => cloudEvent(event, position, origin))
}
