import type { Recorded } from '../domain/event.ts'
import { canonicalJson } from '../domain/values/canonical-json.ts'
import { cloudEvent } from '../feed/cloud-event.ts'
import { COLUMNS, rowOf } from './columns.ts'
import { plainCloudEvent, plainNdjson } from './plain-lines.ts'

/** How events are written into a file, one after the other. */
export interface Format {
  /** What the file begins with. */
  readonly head: string
  /** @param plain the event's data as JSON, where no string of the event needs an escape */
  readonly line: (event: Recorded, position: number, plain?: string) => string
}

export const FORMATS = ['ndjson', 'csv', 'cloudevents'] as const
export type FormatName = (typeof FORMATS)[number]

export interface FormatOptions {
  /** For people who open the file with a spreadsheet. */
  readonly excel: boolean
  /** The name of the log. */
  readonly origin: string
}

const NEEDS_QUOTES = /[",\r\n]/

/** A field as RFC 4180 has it. */
const quoted = (field: string): string => (NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

/** What spreadsheets take for a formula, or skip before one (OWASP, "CSV Injection"), in full width too. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** As text, which the apostrophe makes of it in every spreadsheet. */
const guarded = (field: string): string => (FORMULA.test(field) ? `'${field}` : field)

const csv = (excel: boolean): Format => {
  const field = excel ? (text: string) => quoted(guarded(text)) : quoted
  return {
    // Without the mark a spreadsheet takes UTF-8 for the code page of its machine.
    head: `${excel ? '\ufeff' : ''}${COLUMNS.join(',')}\r\n`,
    // Column by column, since a loop over their names takes twice the time. Ids of ours, times and names of types are
    // no formulas and need no quotes; nor does the data, which has them, begin with anything but a brace.
    line: (event, position, plain) => {
      const row = rowOf(event, position)
      const text = (value: string | null): string => (value === null ? '' : field(value))
      const who = `${text(row.actor)},${row.role},${text(row.request_id)},${text(row.reason)}`
      const what = `${text(row.sut_id)},${text(row.reservation_id)},${text(row.user_id)}`
      const window = `${row.start_time ?? ''},${row.end_time ?? ''},${row.listen_port ?? ''}`
      // With an expression, which is a third faster than replaceAll with a string.
      const data = (plain ?? canonicalJson(row.data)).replace(/"/g, '""')
      return `${position},${row.id},${row.time},${text(row.stream)},${row.revision},${row.type},${who},${what},${window},"${data}"\r\n`
    },
  }
}

export const formatOf = (name: FormatName, { excel, origin }: FormatOptions): Format => {
  switch (name) {
    case 'csv':
      return csv(excel)
    case 'ndjson':
      return {
        head: '',
        line: (event, position, plain) =>
          plain === undefined ? `${JSON.stringify(rowOf(event, position))}\n` : plainNdjson(event, position, plain),
      }
    case 'cloudevents': {
      const source = JSON.stringify(origin)
      return {
        head: '',
        line: (event, position, plain) =>
          plain === undefined
            ? `${JSON.stringify(cloudEvent(event, position, origin))}\n`
            : plainCloudEvent(event, position, plain, source),
      }
    }
  }
}
