import { canonicalJson } from '../domain/canonical-json.ts'
import type { Recorded } from '../domain/event.ts'
import { cloudEvent } from '../feed/cloud-event.ts'
import { COLUMNS, rowOf } from './columns.ts'

/** How events are written into a file, one after the other. */
export interface Format {
  /** What the file begins with. */
  readonly head: string
  readonly line: (event: Recorded, position: number) => string
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
    line: (event, position) => {
      const row = rowOf(event, position)
      let line = ''
      for (const column of COLUMNS) {
        const value = column === 'data' ? canonicalJson(row.data) : row[column]
        const text = typeof value === 'string' ? field(value) : String(value ?? '')
        line += column === 'position' ? text : `,${text}`
      }
      return `${line}\r\n`
    },
  }
}

export const formatOf = (name: FormatName, { excel, origin }: FormatOptions): Format => {
  switch (name) {
    case 'csv':
      return csv(excel)
    case 'ndjson':
      return { head: '', line: (event, position) => `${JSON.stringify(rowOf(event, position))}\n` }
    case 'cloudevents':
      return { head: '', line: (event, position) => `${JSON.stringify(cloudEvent(event, position, origin))}\n` }
  }
}
