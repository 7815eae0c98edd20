import { quantile, spread } from './processes.ts'

export type Bound = { readonly least: number } | { readonly most: number }

export interface Row {
  readonly what: string
  /** One figure per round. */
  readonly figures: readonly number[]
  readonly unit?: string
  readonly digits?: number
  readonly must?: Bound
  readonly aim?: Bound
}

/** A row, with the reason why its figures cannot be judged, if any. */
export interface TableRow extends Row {
  /** Foreign load during the measurement, in cores. */
  readonly busy?: number
  /** The reason why it was not measured. */
  readonly notRun?: string
}

const holds = (figure: number, bound: Bound): boolean =>
  'least' in bound ? figure >= bound.least : figure <= bound.most

const inWords = (bound: Bound | undefined): string => {
  if (bound === undefined) return ''
  return 'least' in bound ? `at least ${bound.least}` : `at most ${bound.most}`
}

/** The verdict, by the median. */
export const verdict = ({ figures, must, aim, busy, notRun }: TableRow): string => {
  if (notRun !== undefined) return `not run: ${notRun}`
  if (busy !== undefined) return `busy: others used ${busy.toFixed(1)} cores`
  const median = quantile(figures, 0.5)
  if (aim !== undefined && holds(median, aim)) return 'aim'
  if (must === undefined) return ''
  return holds(median, must) ? 'met' : 'MISSED'
}

/** Whether a bound was missed, or foreign load makes the figures unreliable. */
export const isInDoubt = (row: TableRow): boolean => row.busy !== undefined || verdict(row) === 'MISSED'

const cellsOf = (row: TableRow): readonly string[] => {
  const { what, figures, unit, digits, must, aim } = row
  const measured = figures.length === 0 ? '' : spread(figures, digits)
  const value = measured === '' || unit === undefined ? measured : `${measured} ${unit}`
  return [what, value, inWords(must), inWords(aim), verdict(row)]
}

const HEAD = ['what', 'median (quartiles)', 'must', 'aim', 'verdict']

/** A Markdown table, aligned to be readable as plain text. */
export const tableOf = (rows: readonly TableRow[]): string => {
  const lines = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const written = lines.map(
    (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [written[0], rule, ...written.slice(1)].map((line) => `${line}\n`).join('')
}
