/** `report usage` and `report demand`: reports as tables. */

import * as t from 'io-ts'
import { integer, listOf, orNull } from '../../domain/codec/codec.ts'
import { type Command, WrongUsage } from '../terminal/command.ts'
import { answer, line, makeCall, unread } from '../terminal/service.ts'

const Row = answer({ key: orNull(line), name: orNull(line), bucket: orNull(line) }, {})
const Report = answer({ rows: listOf(Row) }, {})
type Row = Readonly<Record<string, unknown>>

const Count = integer(0, Number.MAX_SAFE_INTEGER)
const countIn = (row: Row, member: string): number => (Count.is(row[member]) ? row[member] : 0)

/** Counts by code as `code=3`, and seconds as hours if they are to be read. */
const cellOf = (row: Row, member: string, isRead: boolean): string => {
  const value = row[member] ?? '-'
  if (isRead && member.endsWith('_seconds') && Count.is(value)) return (value / 3_600).toFixed(1)
  if (typeof value !== 'object') return String(value)
  const counts = Object.entries(value).map((entry) => entry.join('='))
  return counts.join(',') || '-'
}

const BAR = 24

/** A bar as long as a row's time is to the longest one. What was used of it is dark, and so is what was waited. */
const barOf = (row: Row, most: number): string => {
  const lengthOf = (member: string): number => Math.round((countIn(row, member) / most) * BAR)
  const [held, used] = [lengthOf('held_seconds'), lengthOf('used_seconds') + lengthOf('waited_seconds')]
  return '█'.repeat(used) + '░'.repeat(Math.max(0, held - used))
}

/** `held h` of `held_seconds`, and `unused` of `unused_reservations`. */
const headOf = (member: string): string => member.replace(/_seconds$/, ' h').replace(/_reservations$/, '')

/** Aligned columns under their names. The bar comes before the figures, so that a narrow terminal has it too. */
const tableOf = (rows: readonly Row[]): readonly string[] => {
  if (rows.length === 0) return []
  const texts = ['bucket', 'name'].filter((member) => rows.some((row) => row[member] !== null))
  const figures = Object.keys(rows[0] ?? {}).slice(3)
  const most = rows.reduce(
    (longest, row) => Math.max(longest, countIn(row, 'held_seconds'), countIn(row, 'waited_seconds')),
    1,
  )
  const cellsOf = (row: Row): readonly string[] => [
    ...texts.map((member) => cellOf(row, member, true).replace(/^(.{10})T(.{5}):.*/, '$1 $2')),
    barOf(row, most),
    ...figures.map((figure) => cellOf(row, figure, true)),
  ]
  const cells = [[...texts, '', ...figures.map(headOf)], ...rows.map(cellsOf)]
  const widthOf = (n: number): number => cells.reduce((widest, row) => Math.max(widest, row[n]?.length ?? 0), 0)
  const widths = cells[0]?.map((_, n) => widthOf(n)) ?? []
  const align = (cell: string, n: number): string =>
    n <= texts.length ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)
  return cells.map((row) => row.map(align).join('  ').trimEnd())
}

const makeReportCommand = (name: 'usage' | 'demand', summary: string, by: string): Command => ({
  name: `report ${name}`,
  options: {
    ...{ from: { type: 'string', isRequired: true }, to: { type: 'string', isRequired: true } },
    ...{ by: { type: 'string' }, bucket: { type: 'string' }, 'time-zone': { type: 'string' } },
    ...{ csv: { type: 'boolean' }, json: { type: 'boolean' } },
  },
  summary,
  example: `report ${name} --from 2030-05-01T00:00:00Z --to 2030-06-01T00:00:00Z --bucket week`,
  help: `
Prints what GET /api/report/${name} answers as a table: on a terminal in columns, with hours in place of seconds and a
bar for each row, elsewhere a line for each row, with its members in that order, separated by tabs. --csv prints CSV,
and --json the answer as it is. --from and --to are date-times, --by is ${by},
or none, and --bucket is hour, day, week or month, on the clock of --time-zone.`,
  run: async ({ options }, config, terminal) => {
    if (options.csv && options.json) throw new WrongUsage('--csv takes no --json')
    for (const end of ['from', 'to'] as const)
      if (options[end] === undefined) throw new WrongUsage(`a --${end} is required`)
    const given = Object.entries(options).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    const query = new URLSearchParams(given.map(([option, value]) => [option.replace('-', '_'), value]))
    const call = makeCall(config, terminal)
    const path = `/api/report/${name}?${query}`
    if (options.csv) await terminal.send(await call({ path, answer: t.string, accept: 'text/csv' }))
    else if (options.json) terminal.stdout(`${JSON.stringify(await call({ path, answer: unread }))}\n`)
    else {
      const { rows } = await call({ path, answer: Report })
      const { columns } = terminal
      const lines =
        columns === undefined
          ? rows.map((row) =>
              Object.keys(row)
                .map((member) => cellOf(row, member, false))
                .join('\t'),
            )
          : tableOf(rows).map((text) => text.slice(0, columns))
      for (const text of lines) terminal.stdout(`${text}\n`)
    }
  },
})

export const usageReportCommand = makeReportCommand(
  'usage',
  'shows for how long SUTs were held and used',
  'sut, user, a tag such as tag.rack',
)
export const demandReportCommand = makeReportCommand('demand', 'shows what was asked for and refused', 'user')
