import * as t from 'io-ts'
import { HELP_WIDTH, wrap } from '../../client/command.ts'
import { integer, listOf, orNull } from '../../domain/codec/codec.ts'
import { type Command, WrongUsage } from '../terminal/command.ts'
import { answer, line, makeCall, unread } from '../terminal/service.ts'

/** `report usage` and `report demand`: reports as tables. */

const Row = answer({ key: orNull(line), name: orNull(line), bucket: orNull(line) }, {})
const Report = answer({ rows: listOf(Row) }, {})
type Row = t.TypeOf<typeof Row> & Readonly<Record<string, unknown>>

/** The columns of a table, and those of which a bar shows how much of the first is the second. */
interface Table {
  readonly figures: readonly string[]
  readonly bar: readonly [whole: string, part?: string]
}

const TABLES: Readonly<Record<'usage' | 'demand', Table>> = {
  usage: {
    figures: [
      ...['held_seconds', 'used_seconds', 'reservations', 'unused_reservations', 'cancelled'],
      ...['released_early_seconds', 'users', 'suts'],
    ],
    bar: ['held_seconds', 'used_seconds'],
  },
  demand: {
    figures: [
      ...['requests', 'granted', 'expired', 'withdrawn', 'waited_seconds', 'waited_longest_seconds', 'refused'],
    ],
    bar: ['waited_seconds'],
  },
}

const isOfSeconds = (column: string): boolean => column.endsWith('_seconds')
const Seconds = integer(0, Number.MAX_SAFE_INTEGER)

/** A member between tabs, or to be read: seconds as hours. */
const cellOf = (row: Row, column: string, isRead: boolean): string => {
  const value = row[column] ?? '-'
  if (isRead && isOfSeconds(column) && Seconds.is(value)) return (value / 3_600).toFixed(1)
  if (typeof value !== 'object') return String(value)
  return (
    Object.entries(value)
      .map((entry) => entry.join('='))
      .join(',') || '-'
  )
}

const BAR = 24

/** A bar as long as the whole is to the most: dark for the part. */
const barOf = (row: Row, [whole, part]: Table['bar'], most: number): string => {
  const [all, dark] = [row[whole], row[part ?? whole] ?? 0].map((value) => Math.round((Number(value) / most) * BAR))
  return '█'.repeat(dark ?? 0) + '░'.repeat(Math.max(0, (all ?? 0) - (dark ?? 0)))
}

/** Aligned columns under their names, with a bar for each row. */
const forReading = (rows: readonly Row[], { figures, bar }: Table): readonly string[] => {
  const names = ['bucket', 'name'].filter((name) => rows.some((row) => row[name] !== null))
  const columns = [...names, ...figures]
  const heads = columns.map((column) => column.replace('_seconds', '_hours'))
  const cells = [heads, ...rows.map((row) => columns.map((column) => cellOf(row, column, true)))]
  const widths = columns.map((_, n) => cells.reduce((widest, row) => Math.max(widest, row[n]?.length ?? 0), 0))
  const most = rows.reduce((longest, row) => Math.max(longest, Number(row[bar[0]])), 1)
  return cells.map((row, place) => {
    const aligned = row.map((cell, n) =>
      n < names.length ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0),
    )
    const shown = rows[place - 1]
    return [...aligned, shown === undefined ? '' : barOf(shown, bar, most)].join('  ').trimEnd()
  })
}

const columnsOf = ({ figures }: Table): readonly string[] => ['bucket', 'key', 'name', ...figures]

const linesOf = (rows: readonly Row[], table: Table, width: number | undefined): readonly string[] =>
  width === undefined
    ? rows.map((row) =>
        columnsOf(table)
          .map((column) => cellOf(row, column, false))
          .join('\t'),
      )
    : forReading(rows, table).map((text) => text.slice(0, width))

const OPTIONS: Command['options'] = {
  ...{ from: { type: 'string', isRequired: true }, to: { type: 'string', isRequired: true } },
  ...{ by: { type: 'string' }, bucket: { type: 'string' }, 'time-zone': { type: 'string' } },
  ...{ csv: { type: 'boolean' }, json: { type: 'boolean' } },
}

const makeReportCommand = (name: 'usage' | 'demand', summary: string, by: string): Command => ({
  name: `report ${name}`,
  options: OPTIONS,
  summary,
  example: `report ${name} --from 2030-05-01T00:00:00Z --to 2030-06-01T00:00:00Z --bucket week`,
  help: `
Prints what GET /api/report/${name} answers as a table. On a terminal it has columns with hours in place of seconds, and
a bar for each row. Elsewhere each row is a line of these, separated by tabs:
${wrap(`${columnsOf(TABLES[name]).join(', ')}.`, HELP_WIDTH, '')}
--from and --to are date-times, --by is ${by} or none, and --bucket is hour, day,
week or month, on the clock of --time-zone. --csv prints CSV, and --json the answer as it is.`,
  run: async ({ options }, config, terminal) => {
    for (const end of ['from', 'to'] as const)
      if (options[end] === undefined) throw new WrongUsage(`a --${end} is required`)
    const given = Object.entries(options).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    const query = new URLSearchParams(given.map(([option, value]) => [option.replace('-', '_'), value]))
    const call = makeCall(config, terminal)
    const path = `/api/report/${name}?${query}`
    if (options.csv) await terminal.send(await call({ path, answer: t.string, accept: 'text/csv' }))
    else if (options.json) terminal.stdout(`${JSON.stringify(await call({ path, answer: unread }))}\n`)
    else {
      const rows = (await call({ path, answer: Report })).rows as readonly Row[]
      for (const text of linesOf(rows, TABLES[name], terminal.columns)) terminal.stdout(`${text}\n`)
    }
  },
})

export const usageReportCommand = makeReportCommand(
  'usage',
  'shows for how long SUTs were held and used',
  'sut, user, a tag such as tag.rack',
)
export const demandReportCommand = makeReportCommand('demand', 'shows what was asked for and refused', 'user')
