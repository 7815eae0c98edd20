import type { Recorded } from '../domain/event.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import { quoteField, spreadsheetField } from '../domain/values/csv-field.ts'
import { escapeLineSeparators } from '../domain/values/json-text.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { cloudEvent } from '../feed/events/cloud-event.ts'
import { COLUMNS, rowOf } from './columns.ts'

/** A file format for events. */
export interface ExportFormat {
  /** The beginning of the file. */
  readonly head: string
  readonly line: (event: Recorded, position: PublicPosition) => string
}

export const FORMATS = ['ndjson', 'csv', 'cloudevents'] as const
export type FormatName = (typeof FORMATS)[number]

export interface FormatOptions {
  /** Whether the file is meant for a spreadsheet. */
  readonly excel: boolean
  /** The name of the log. */
  readonly origin: string
}

const csv = (excel: boolean): ExportFormat => {
  const field = excel ? spreadsheetField : quoteField
  return {
    // Without a byte order mark, spreadsheets decode UTF-8 as the machine's code page.
    head: `${excel ? '\ufeff' : ''}${COLUMNS.join(',')}\r\n`,
    // Written out column by column: a loop over the names takes twice the time. Ids, times and types are never formulas
    // and need no quotes. The data is quoted and always begins with a brace.
    line: (event, position) => {
      const row = rowOf(event, position)
      const text = (value: string | null): string => (value === null ? '' : field(value))
      const who = `${text(row.actor)},${row.role},${text(row.request_id)},${text(row.reason)}`
      const what = `${text(row.sut_id)},${text(row.reservation_id)},${text(row.user_id)}`
      const window = `${row.start_time ?? ''},${row.end_time ?? ''},${row.listen_port ?? ''}`
      // A regular expression is a third faster here than replaceAll with a string.
      const data = escapeLineSeparators(canonicalJson(row.data)).replace(/"/g, '""')
      return `${position},${row.id},${row.time},${text(row.stream)},${row.revision},${row.type},${who},${what},${window},"${data}"\r\n`
    },
  }
}

const writeJson = (value: unknown): string => escapeLineSeparators(JSON.stringify(value))

export const formatOf = (name: FormatName, { excel, origin }: FormatOptions): ExportFormat => {
  switch (name) {
    case 'csv':
      return csv(excel)
    case 'ndjson':
      return { head: '', line: (event, position) => `${writeJson(rowOf(event, position))}\n` }
    case 'cloudevents':
      return { head: '', line: (event, position) => `${writeJson(cloudEvent(event, position, origin))}\n` }
  }
}
