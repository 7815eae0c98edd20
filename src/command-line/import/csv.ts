import { isUtf8 } from 'node:buffer'
import { CsvError, type InfoRecord, parse } from 'csv-parse/sync'
import { ClientFailure, EXIT } from '../../client/service/output.ts'
import { withoutApostrophe } from '../../domain/values/csv-field.ts'
import { readAtMost } from '../../files/read-regular-file.ts'
import { CommandFailure } from '../terminal/command.ts'
import { CallRefused } from '../terminal/service.ts'

/** A row of a CSV file, and the line on which it begins, from 1. */
export interface CsvRow {
  readonly line: number
  /** By the names in the first row, without empty fields. */
  readonly fields: Readonly<Record<string, string>>
}

const CSV_BYTES_MAX = 4_194_304

/** What the parser's errors mean. Its own messages repeat what is in the file. */
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has a closing quote that is followed by neither a comma nor the end of the line',
  INVALID_OPENING_QUOTE: 'has a quote in a field that does not begin with one: quote the whole field, and double it',
}

/** What the parser takes, but no CSV file means. */
const STRAY = /\r(?!\n)|\0/

/** Rows of RFC 4180, with CRLF or LF. Line breaks in fields become LF. Empty lines are skipped. @throws CommandFailure */
const parseRows = (text: string, rowsMax: number): readonly { line: number; fields: readonly string[] }[] => {
  const stray = STRAY.exec(text)
  if (stray !== null) {
    const { length } = text.slice(0, stray.index).split('\n')
    throw new CommandFailure(`line ${length} has a lone carriage return or a null`)
  }
  const rows: { line: number; fields: readonly string[] }[] = []
  let end = 0
  const on_record = (fields: readonly string[], { lines }: InfoRecord): null => {
    // The parser counts the lines on which rows end.
    rows.push({ line: lines - fields.join('').split('\n').length + 1, fields: fields.map(withoutApostrophe) })
    end = lines
    return null
  }
  const lines = text.replaceAll('\r\n', '\n')
  try {
    parse(lines, { on_record, record_delimiter: '\n', relax_column_count: true, skip_empty_lines: true, to: rowsMax })
    return rows
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    while (lines.split('\n', end + 1)[end] === '') end++
    throw new CommandFailure(`line ${end + 1} ${FAULTS[error.code] ?? 'is not CSV'}`)
  }
}

/**
 * The rows of a CSV file in UTF-8, with or without a byte order mark, whose first row names its columns.
 *
 * @param family how other names of columns may begin
 * @throws CommandFailure with the problems, which repeat nothing of the file
 */
export const readCsv = async (
  file: string,
  { columns, family, rowsMax }: { columns: readonly string[]; family?: string; rowsMax: number },
): Promise<readonly CsvRow[]> => {
  const bytes = await readAtMost(file, CSV_BYTES_MAX).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${file} cannot be read: ${code}`)
  })
  if (bytes.length > CSV_BYTES_MAX) throw new CommandFailure(`${file} is larger than 4 MiB`)
  if (!isUtf8(bytes)) throw new CommandFailure(`${file} must be in UTF-8`)
  // Decoding drops the mark. One row more than allowed is read, beside the header.
  const [header, ...rows] = parseRows(new TextDecoder().decode(bytes), rowsMax + 2)
  const names = header?.fields ?? []
  const wrong: string[] = []
  const unknown = names.findIndex((name) => !columns.includes(name) && !(family && name.startsWith(family)))
  const known = `${columns.join(', ')}${family === undefined ? '' : `, and ${family}<name>`}`
  // Names the place, because a file without a header has values here.
  if (unknown !== -1)
    wrong.push(`line ${header?.line} must name only the columns ${known}; field ${unknown + 1} is none of them`)
  if (new Set(names).size < names.length) wrong.push(`line ${header?.line} must name each column once`)
  for (const { line, fields } of rows)
    if (fields.length !== names.length)
      wrong.push(`line ${line} has ${fields.length} fields; the header names ${names.length}`)
  if (rows.length > rowsMax)
    wrong.push(`line ${rows[rowsMax]?.line} is beyond the ${rowsMax} rows that a file may have`)
  if (wrong.length === 0 && rows.length === 0) wrong.push(`${file} has no rows below a header`)
  if (wrong.length > 0) throw new CommandFailure(wrong)
  return rows.map(({ line, fields }) => ({
    line,
    fields: Object.fromEntries(names.map((name, n) => [name, fields[n] ?? '']).filter(([, text]) => text !== '')),
  }))
}

/** How messages name a field of a row. */
export const describeField = ({ line }: CsvRow, column: string, detail: string): string =>
  `line ${line}, column ${column}: ${detail}`

/**
 * Explains why the service refused rows, with the line and the column of each problem.
 *
 * @param columnOf the column of a member of a row, as the service names it
 * @throws CommandFailure
 */
export const explainRows =
  (rows: readonly CsvRow[], columnOf: (member: string) => string, more: readonly string[] = []) =>
  (failure: unknown): never => {
    if (!(failure instanceof ClientFailure) || failure.exitCode === EXIT.usage) throw failure
    const problems = (failure instanceof CallRefused ? failure.errors : []).flatMap(({ pointer = '', detail }) => {
      const [, n, member = ''] = /^#\/\w+\/(\d+)\/?(.*)$/.exec(pointer) ?? []
      const row = rows[Number(n)]
      const inLines = detail.replace(/(?:suts|users)\/(\d+)/, (_, other) => `line ${rows[Number(other)]?.line}`)
      return row === undefined ? [] : [describeField(row, columnOf(member), inLines)]
    })
    throw new CommandFailure([failure.message, ...problems, ...more])
  }
