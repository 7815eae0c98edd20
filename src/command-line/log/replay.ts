import { join } from 'node:path'
import { projections } from '../../../projections/index.ts'
import { openStoreForCommand } from '../../app/open-store.ts'
import { type Comparison, type Difference, isCompared, replay } from '../../read-models/replay.ts'
import { type Command, DONE, REFUSED } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
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
const verdictOf = (compared: Comparison): string => {
  const { differences, documents, events, behind } = compared
  const lag = `the views have reached event ${events} of ${events + behind}: run it again when the service has caught up`
  if (!isCompared(compared)) return `not compared: ${lag}`
  const verdict = differences.length === 0 ? 'same' : 'different'
  return `${verdict}: ${documents} documents from ${events} events${behind === 0 ? '' : `; ${lag}`}`
}

/** A comparison for a terminal: what differs, member by member, and then the verdict. */
const comparisonText = (compared: Comparison, width: number): string => {
  const { differences, rows } = compared
  // Differences that do not concern a row come first.
  const general = differences.slice(0, differences.length - rows.length).map((sentence) => `${sentence}\n`)
  return `${[...general, ...rows.map((row) => differenceBlock(row, width))].join('')}${verdictOf(compared)}\n`
}

/** For a running service to update its views. */
const CATCH_UP_TIMEOUT_MS = 3_000

/** For a pipe: the differences as sentences, one a line, and the verdict. */
const comparisonLines = (compared: Comparison): string =>
  [...compared.differences, verdictOf(compared)].map((line) => `${line}\n`).join('')

export const replayCommand: Command = {
  name: 'replay',
  options: { json: { type: 'boolean' } },
  summary: 'rebuilds the documents from the log and compares them with those in use',
  example: 'replay --json',
  isOfFiles: true,
  help: `
Folds the log into fresh documents, up to the position that those in use have reached, and compares the two. Works with
or without a running service. Says so when those in use are behind the log, and exits with code 1 when they cover none
of it.

On a terminal each document that differs is shown with the members that differ. In a pipe each difference is one line,
with both documents whole. The last line begins with "same" or "different".

It reads the log and the views themselves, never the service at BERTH_URL.

With --json it prints {"same","position","events","documents","behind","differences"} on one line.`,
  run: async ({ options }, config, terminal) => {
    await using store = await openStoreForCommand(config)
    const progress = makeProgress(terminal)
    const views = join(config.data, 'views.db')
    const compared = await replay(views, store, projections, progress.show, CATCH_UP_TIMEOUT_MS).finally(progress.end)
    const { rows: _, ...members } = compared
    const isSame = compared.differences.length === 0 && isCompared(compared)
    if (options.json) terminal.stdout(`${JSON.stringify({ same: isSame, ...members })}\n`)
    else if (terminal.columns === undefined) terminal.stdout(comparisonLines(compared))
    else terminal.stdout(comparisonText(compared, terminal.columns))
    return isSame ? DONE : REFUSED
  },
}
