import { isUtf8 } from 'node:buffer'
import { CsvError, type InfoRecord, parse } from 'csv-parse/sync'
import * as E from 'fp-ts/lib/Either.js'
import { withoutApostrophe } from '../../domain/values/csv-field.ts'
import { readAtMost } from '../../files/read-at-most.ts'
import { CommandFailure } from '../terminal/command.ts'

/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/** What is wrong with a CSV file. Details repeat nothing of it. */
export interface CsvProblem {
  /** From 1; undefined for the file as a whole. */
  readonly line?: number
  /** The name of a column, or the number of a character in the line. */
  readonly column?: string | number
  readonly detail: string
}

export const CSV_BYTES_MAX = 4_194_304

export const describeCsvProblem = ({ line, column, detail }: CsvProblem): string => {
  if (line === undefined) return `the file ${detail}`
  return column === undefined ? `line ${line} ${detail}` : `line ${line}, column ${column}: ${detail}`
}

/** What the parser takes, but no CSV file means. */
const STRAY = /\r(?!\n)|\0/
const NO_CHARACTER = { '\r': 'is a carriage return without a line feed', '\0': 'is a null character' }

const placeOf = (text: string, at: number, detail: string): CsvProblem => {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n'), detail }
}

/** Where a quoted field ends, behind its closing quote. */
const endOfQuoted = (text: string, start: number): number => {
  let quote = text.indexOf('"', start + 1)
  while (text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
  return quote + 1
}

/** The parser says which field is wrong, by the bytes before it, and not which character. */
const locate = (text: string, { code, bytes, column }: CsvError): CsvProblem => {
  let start = Buffer.from(text).toString('utf8', 0, Number(bytes)).length
  if (column !== 0) start++
  // Empty lines before a row are not among those bytes.
  else while (text[start] === '\n') start++
  if (code === 'CSV_QUOTE_NOT_CLOSED') return placeOf(text, start, 'is a quote that is never closed')
  if (code === 'CSV_INVALID_CLOSING_QUOTE') {
    const detail = 'follows a closing quote, where a comma or the end of the line must be'
    return placeOf(text, endOfQuoted(text, start), detail)
  }
  const rule = 'quote the whole field, and double the quotes in it'
  const detail = `is a quote in a field that does not begin with one: ${rule}`
  return placeOf(text, text.indexOf('"', start), detail)
}

/** Parses text with LF. The lines that the parser counts are those on which rows end. */
const parseLines = (text: string, rowsMax: number): E.Either<CsvProblem, readonly CsvRow[]> => {
  const rows: CsvRow[] = []
  const on_record = (fields: readonly string[], { lines }: InfoRecord): null => {
    rows.push({ line: lines - fields.join('').split('\n').length + 1, fields: fields.map(withoutApostrophe) })
    return null
  }
  try {
    parse(text, { on_record, record_delimiter: '\n', relax_column_count: true, skip_empty_lines: true, to: rowsMax })
    return E.right(rows)
  } catch (error) {
    if (error instanceof CsvError) return E.left(locate(text, error))
    throw error
  }
}

/**
 * Parses CSV (RFC 4180) strictly, with CRLF or LF. Line breaks in fields become LF. Empty lines are skipped. Stops after
 * `rowsMax` rows.
 */
export const parseCsv = (text: string, rowsMax: number): E.Either<CsvProblem, readonly CsvRow[]> => {
  const stray = STRAY.exec(text)
  return stray === null
    ? parseLines(text.replaceAll('\r\n', '\n'), rowsMax)
    : E.left(placeOf(text, stray.index, NO_CHARACTER[stray[0] as keyof typeof NO_CHARACTER]))
}

/** The lines that are not UTF-8. */
const problemsOfBytes = (bytes: Uint8Array): readonly CsvProblem[] => {
  const problems: CsvProblem[] = []
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, start)
    const end = feed === -1 ? bytes.length : feed + 1
    if (!isUtf8(bytes.subarray(start, end))) problems.push({ line, detail: 'must be in UTF-8' })
    start = end
  }
  return problems
}

/** Reads the rows of a file in UTF-8, with or without a byte order mark. */
export const readCsv = (bytes: Uint8Array, rowsMax: number): E.Either<readonly CsvProblem[], readonly CsvRow[]> => {
  if (bytes.length > CSV_BYTES_MAX) return E.left([{ detail: 'must be at most 4 MiB' }])
  if (!isUtf8(bytes)) return E.left(problemsOfBytes(bytes))
  // Decoding drops the mark.
  return E.mapLeft((problem: CsvProblem) => [problem])(parseCsv(new TextDecoder().decode(bytes), rowsMax))
}

/** The bytes of a CSV file. @throws CommandFailure if they cannot be read */
export const readCsvFile = async (file: string): Promise<Uint8Array> => {
  let bytes: Uint8Array
  try {
    bytes = await readAtMost(file, CSV_BYTES_MAX)
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  if (bytes.length > CSV_BYTES_MAX) throw new CommandFailure(`${file} is larger than 4 MiB`)
  return bytes
}
