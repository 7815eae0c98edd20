/** The rows of a CSV file, and where its problems are. Pure, but for the parser. */

export interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

export interface Problem {
  /** From 1; undefined for the file as a whole. */
  readonly line?: number | undefined
  readonly column?: string | undefined
  readonly detail: string
}

const BYTES_MAX = 4_194_304

/** `Line 3, port: must be a whole number from 1 to 65535.` */
export const problemText = ({ line, column, detail }: Problem): string => {
  if (line === undefined) return `The file ${detail}.`
  return column === undefined || column === '' ? `Line ${line} ${detail}.` : `Line ${line}, ${column}: ${detail}.`
}

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * What separates most fields of the header. Spreadsheets write semicolons where a comma is the decimal mark, and tabs
 * when they are asked to.
 */
const separatorOf = (text: string): string => {
  const [header = ''] = text.split('\n', 1)
  const countOf = (separator: string): number => header.split(separator).length
  return [';', '\t'].reduce((most, each) => (countOf(each) > countOf(most) ? each : most), ',')
}

/** Reads the rows of a file. The parser, the one of the command line, is loaded with the first file. */
export const readCsv = async (bytes: Uint8Array): Promise<readonly CsvRow[] | Problem> => {
  if (bytes.length > BYTES_MAX) return { detail: 'must be at most 4 MiB' }
  const text = decode(bytes)
  if (text === undefined) return { detail: 'must be in UTF-8' }
  const { parse, CsvError } = await import('csv-parse/browser/esm/sync')
  const rows: CsvRow[] = []
  try {
    parse(text.replaceAll('\r\n', '\n'), {
      ...{ delimiter: separatorOf(text), record_delimiter: '\n', relax_column_count: true },
      // Spreadsheets write rows that were emptied as separators alone.
      ...{ skip_empty_lines: true, skip_records_with_empty_values: true },
      on_record: (fields: readonly string[], { lines }) => {
        rows.push({ line: lines - fields.join('').split('\n').length + 1, fields: fields.map(unquoted) })
        return null
      },
    })
    return rows
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { line: (rows.at(-1)?.line ?? 0) + 1, detail: 'has an unexpected or unclosed quote' }
  }
}

export interface Columns {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Begins the names of further columns, such as `tag.`. */
  readonly prefix?: string
  readonly most: number
}

export const problemsOf = (rows: readonly CsvRow[], columns: Columns): readonly Problem[] => {
  const { required, optional, prefix, most } = columns
  const [header, ...data] = rows
  const names = header?.fields ?? []
  const line = header?.line ?? 1
  const isKnown = (name: string): boolean =>
    required.includes(name) || optional.includes(name) || (prefix !== undefined && name.startsWith(prefix))
  const ofHeader: readonly Problem[] = [
    ...required
      .filter((name) => !names.includes(name))
      .map((name) => ({ line, detail: `must name the column ${name}` })),
    ...names.filter((name) => !isKnown(name)).map((column) => ({ line, column, detail: 'is not an import column' })),
    ...(new Set(names).size < names.length ? [{ line, detail: 'must name each column once' }] : []),
  ]
  if (ofHeader.length > 0) return ofHeader
  if (data.length === 0) return [{ detail: 'has no rows below the column names' }]
  const beyond = data[most]
  if (beyond !== undefined) return [{ line: beyond.line, detail: `is beyond the ${most} rows of a file: split it` }]
  return data
    .filter(({ fields }) => fields.length !== names.length)
    .map((row) => ({ line: row.line, detail: `has ${row.fields.length} fields; the first row names ${names.length}` }))
}

/** The fields of each row by the names of their columns. Empty ones are left out. */
export const recordsOf = ([header, ...data]: readonly CsvRow[]): readonly Readonly<Record<string, string>>[] =>
  data.map(({ fields }) =>
    Object.fromEntries(
      (header?.fields ?? []).map((name, n) => [name, fields[n] ?? ''] as const).filter(([, text]) => text !== ''),
    ),
  )

export const problemsOfErrors = (
  errors: readonly { readonly pointer?: string; readonly detail: string }[],
  rows: readonly CsvRow[],
): readonly Problem[] => {
  const lineOf = (n: string): number | undefined => rows[Number(n) + 1]?.line
  return errors.map(({ pointer = '', detail }) => {
    const [, n, column = ''] = /^#\/[^/]+\/(\d+)\/?(.*)$/.exec(pointer) ?? []
    const line = n === undefined ? undefined : lineOf(n)
    // A row that is like another one names it as the request does.
    const text = detail.replace(/\busers\/(\d+)$/, (row, m) => (lineOf(m) ? `line ${lineOf(m)}` : row))
    return { line, column: column.replace('tags/', 'tag.'), detail: text }
  })
}

/** What spreadsheets take for a formula, also full-width, behind apostrophes of which they show none. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** A field that a spreadsheet reads as text. An import takes the apostrophe away again. */
const quoted = (text: string): string => {
  const shown = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(shown) || shown.trim() !== shown ? `"${shown.replaceAll('"', '""')}"` : shown
}

const unquoted = (field: string): string => (field.startsWith("'") && FORMULA.test(field) ? field.slice(1) : field)

/** The text of a CSV file (RFC 4180). */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((fields) => `${fields.map(quoted).join(',')}\r\n`).join('')
