import * as E from 'fp-ts/lib/Either.js'

/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/** Where a text is not CSV. Details repeat nothing of it. */
export interface CsvFault {
  readonly line: number
  /** The character in the line, from 1. */
  readonly column: number
  readonly detail: string
}

interface Field {
  readonly value: string
  readonly end: number
}

const NOT_PLAIN = /[",\r\n]/g

const readPlain = (text: string, start: number): Field => {
  NOT_PLAIN.lastIndex = start
  const end = NOT_PLAIN.exec(text)?.index ?? text.length
  return { value: text.slice(start, end), end }
}

/** Undefined if the field has no closing quote. */
const readQuoted = (text: string, start: number): Field | undefined => {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
  return quote === -1 ? undefined : { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 }
}

/** The length of the line break at a place, 0 if there is none. */
const lineBreakAt = (text: string, at: number): number => {
  if (text[at] === '\n') return 1
  return text[at] === '\r' && text[at + 1] === '\n' ? 2 : 0
}

/** What is wrong with a character after a field. */
const describeFault = (text: string, at: number): string => {
  if (text[at - 1] === '"') return 'follows a closing quote, where a comma or the end of the line must be'
  return text[at] === '\r'
    ? 'is a carriage return without a line feed'
    : 'is a quote in a field that does not begin with one: quote the whole field, and double the quotes in it'
}

/** Finds the line and column of places in a text, which must be asked for in ascending order. */
const makePlaces = (text: string): ((at: number) => { readonly line: number; readonly column: number }) => {
  let [line, start, feed] = [1, 0, text.indexOf('\n')]
  return (at) => {
    while (feed !== -1 && feed < at) {
      line++
      start = feed + 1
      feed = text.indexOf('\n', start)
    }
    return { line, column: at - start + 1 }
  }
}

/**
 * Parses CSV (RFC 4180) strictly, with CRLF or LF, in linear time. Empty lines are skipped. Stops after `rowsMax` rows.
 */
export const parseCsv = (text: string, rowsMax: number): E.Either<CsvFault, readonly CsvRow[]> => {
  const rows: CsvRow[] = []
  const placeOf = makePlaces(text)
  let at = 0
  while (at < text.length && rows.length < rowsMax) {
    const begin = at
    const { line } = placeOf(begin)
    const fields: string[] = []
    do {
      const start = fields.length === 0 ? at : at + 1
      const field = text[start] === '"' ? readQuoted(text, start) : readPlain(text, start)
      if (field === undefined) return E.left({ ...placeOf(start), detail: 'is a quote that is never closed' })
      fields.push(field.value)
      at = field.end
    } while (text[at] === ',')
    const lineBreak = lineBreakAt(text, at)
    if (lineBreak === 0 && at < text.length) return E.left({ ...placeOf(at), detail: describeFault(text, at) })
    if (at > begin) rows.push({ line, fields })
    at += lineBreak
  }
  return E.right(rows)
}
