import { canonicalJson } from '../domain/canonical-json.ts'
import type { Recorded } from '../domain/event.ts'
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

const TEXTS_AND_NUMBERS = COLUMNS.slice(0, -1) as readonly Exclude<(typeof COLUMNS)[number], 'data'>[]

const csv = (excel: boolean): Format => {
  const field = excel ? (text: string) => quoted(guarded(text)) : quoted
  return {
    // Without the mark a spreadsheet takes UTF-8 for the code page of its machine.
    head: `${excel ? '\ufeff' : ''}${COLUMNS.join(',')}\r\n`,
    line: (event, position, plain) => {
      const row = rowOf(event, position)
      let line = ''
      for (const column of TEXTS_AND_NUMBERS) {
        const value = row[column]
        line += typeof value === 'string' ? `${field(value)},` : `${value ?? ''},`
      }
      // It begins with a brace, which is no formula, and has quotes in it.
      const data = plain ?? canonicalJson(row.data)
      return `${line}"${data.replaceAll('"', '""')}"\r\n`
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
