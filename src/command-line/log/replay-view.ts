import { type Comparison, type Difference, isCompared } from '../../read-models/replay.ts'
import { wrap } from '../terminal/wrap.ts'

type Row = Difference['made']
type Members = Readonly<Record<string, unknown>>

/** A row with the members of its document. */
const membersOf = (row: NonNullable<Row>): Members => {
  const { document, ...columns } = row
  return { ...columns, ...(typeof document === 'string' ? (JSON.parse(document) as Members) : {}) }
}

const INDENT = ' '.repeat(4)

/** The members that differ, or the row that only one of the two has. */
const differingMembers = (inUse: Row, made: Row): readonly string[] => {
  if (inUse === undefined) return [`missing in use; the log gives ${JSON.stringify(membersOf(made ?? {}))}`]
  if (made === undefined) return [`in use ${JSON.stringify(membersOf(inUse))}; the log gives nothing`]
  const [left, right] = [membersOf(inUse), membersOf(made)]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  const lines = names.flatMap((name) => {
    const [used, given] = [left, right].map((members) => JSON.stringify(members[name]) ?? 'nothing')
    return used === given ? [] : [`${name}: in use ${used}, the log gives ${given}`]
  })
  return lines.length > 0 ? lines : ['the same members, stored differently']
}

const differenceBlock = ({ table, position, inUse, made }: Difference, width: number): string => {
  const id = inUse?.id ?? made?.id
  const place = [...(id === undefined ? [] : [String(id)]), ...(position === undefined ? [] : [`position ${position}`])]
  const lines = differingMembers(inUse, made).map((line) => wrap(line, width, INDENT))
  return `${[table, ...place].join(', ')}\n${lines.join('')}`
}

/** The last line: whether the two are the same, and what it does not cover. */
export const verdictOf = (compared: Comparison): string => {
  const { differences, documents, events, behind } = compared
  const lag = `the views have reached event ${events} of ${events + behind}: run it again when the service has caught up`
  if (!isCompared(compared)) return `not compared: ${lag}`
  const verdict = differences.length === 0 ? 'same' : 'different'
  return `${verdict}: ${documents} documents from ${events} events${behind === 0 ? '' : `; ${lag}`}`
}

/** A comparison for a terminal: what differs, member by member, and then the verdict. */
export const comparisonText = (compared: Comparison, width: number): string => {
  const { differences, rows } = compared
  // Differences that do not concern a row come first.
  const general = differences.slice(0, differences.length - rows.length).map((sentence) => `${sentence}\n`)
  return `${[...general, ...rows.map((row) => differenceBlock(row, width))].join('')}${verdictOf(compared)}\n`
}
