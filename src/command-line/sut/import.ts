import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { whole } from '../../domain/events/fields.ts'
import { sutFields } from '../../domain/events/sut.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { SUT_ROWS_MAX } from '../../http/codecs/imports.ts'
import { type CsvRow, describeCsvProblem, readCsv, readCsvFile } from '../csv/csv.ts'
import { answer, type CallFailure, line, tryCall } from '../service/call.ts'
import { type Command, CommandFailure } from '../terminal/command.ts'

const Imported = answer({ count: whole }, { suts: listOf(answer({ _id: opaqueId, name: line }, {})) })

const TAG = 'tag.'
/** Columns whose values are no texts. */
const VALUES = ['port', 'is_active', 'rdp_width', 'rdp_height', 'turnaround', 'release_unused_after']
const COLUMNS: readonly string[] = [...Object.keys(sutFields), 'user_name', 'password']

/** A value as JSON has it. What is neither a number nor true or false stays a text, which the service names as wrong. */
const toValue = (text: string): unknown =>
  /^\d{1,15}$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text

/** A SUT as the service takes it. Empty fields are left out. */
const toSut = (columns: readonly string[], { fields }: CsvRow): object => {
  const filled = columns.map((column, n) => [column, fields[n] ?? ''] as const).filter(([, value]) => value !== '')
  const tags = filled.filter(([column]) => column.startsWith(TAG))
  const others = filled.filter(([column]) => !column.startsWith(TAG))
  return {
    ...Object.fromEntries(others.map(([column, value]) => [column, VALUES.includes(column) ? toValue(value) : value])),
    ...(tags.length > 0 && {
      tags: Object.fromEntries(tags.map(([column, value]) => [column.slice(TAG.length), value])),
    }),
  }
}

const isColumn = (name: string): boolean => COLUMNS.includes(name) || name.startsWith(TAG)

/** Checks the header, and that each row has as many fields. Returns the rows below it. */
const checkRows = ([header, ...rows]: readonly CsvRow[]): readonly CsvRow[] => {
  const columns = header?.fields ?? []
  const unknown = columns.findIndex((name) => !isColumn(name))
  const ofHeader = (detail: string) => new CommandFailure(describeCsvProblem({ line: header?.line ?? 1, detail }))
  if (header === undefined || unknown !== -1) {
    // Names the place, because a file without a header has values here.
    const which = unknown === -1 ? '' : `; field ${unknown + 1} is none of them`
    throw ofHeader(`must name only the columns ${COLUMNS.join(', ')}, and ${TAG}<name> for tags${which}`)
  }
  if (new Set(columns).size < columns.length) throw ofHeader('must name each column once')
  const uneven = rows.filter(({ fields }) => fields.length !== columns.length)
  if (uneven.length > 0) {
    const detail = (row: CsvRow) => `has ${row.fields.length} fields; the header names ${columns.length}`
    throw new CommandFailure(uneven.map((row) => describeCsvProblem({ line: row.line, detail: detail(row) })))
  }
  if (rows.length === 0) throw new CommandFailure('the file has no SUTs')
  return rows
}

/** What the service refused, with the lines of its problems. */
const linesOf = ({ why, errors = [] }: CallFailure, rows: readonly CsvRow[]): readonly string[] => [
  why,
  ...errors.flatMap(({ pointer = '', detail }) => {
    const [, n, column = ''] = /^#\/suts\/(\d+)\/?(.*)$/.exec(pointer) ?? []
    const row = rows[Number(n)]
    const named = column.replace(/^tags\//, TAG)
    return row === undefined ? [] : [describeCsvProblem({ line: row.line, column: named, detail })]
  }),
]

/** The same file with the same key is the same import: a repetition continues what a crash interrupted. */
const keyOf = (suts: readonly object[]): string =>
  createHash('sha256').update(canonicalJson({ suts })).digest('base64url')

export const sutImportCommand: Command = {
  name: 'sut import',
  operands: ['FILE'],
  options: { 'dry-run': { type: 'boolean' } },
  summary: 'adds the machines of a CSV file',
  example: 'sut import lab.csv',
  help: `
Adds all SUTs of a CSV file in UTF-8, at most ${SUT_ROWS_MAX}, or none of them if there is a problem, which is printed with its
line. The first row names the columns: name, address, port and sut_type, and optionally the other fields of a SUT and
tag.<name> for each tag. Empty fields are left out. Prints id and name of each, separated by a tab.

The same file imported again within a day adds nothing and prints the same SUTs, so that an import that was cut off is
simply repeated. With --dry-run everything is checked and nothing is added.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: async ({ operands: [file = ''], options }, config, terminal) => {
    const parsed = readCsv(await readCsvFile(file), SUT_ROWS_MAX + 2)
    if (E.isLeft(parsed)) throw new CommandFailure(parsed.left.map(describeCsvProblem))
    const rows = checkRows(parsed.right)
    const suts = rows.map((row) => toSut(parsed.right[0]?.fields ?? [], row))
    const isDry = options['dry-run'] === true
    const imported = await tryCall(config, {
      ...{ method: 'POST', path: '/api/sut/import', answer: Imported, body: { suts, ...(isDry && { dry_run: true }) } },
      ...(!isDry && { idempotencyKey: keyOf(suts) }),
    })
    if (E.isLeft(imported)) throw new CommandFailure(linesOf(imported.left, rows))
    const { count, suts: added = [] } = imported.right
    for (const { _id, name } of added) terminal.stdout(`${_id}\t${name}\n`)
    const what = count === 1 ? '1 SUT' : `${count} SUTs`
    terminal.stderr(`berth: ${what} ${isDry ? 'would be added; nothing was changed' : 'added'}\n`)
  },
}
