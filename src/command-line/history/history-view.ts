import type { ValueChange } from '../../../projections/history.ts'
import { EVENT_TYPES, type Recorded } from '../../domain/event.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { wrap } from '../terminal/wrap.ts'

/** An event of a history and what it changed. */
export interface HistoryEntry {
  readonly event: Recorded
  readonly position: PublicPosition
  readonly changes: readonly ValueChange[]
  /** Whether the revision is not shown to the user. */
  readonly hidesRevision?: boolean
}

const shownChange = (change: ValueChange): string => {
  const name = change.path.slice(1)
  if ('changed' in change) return `${name} changed`
  const to = JSON.stringify(change.to)
  // The first value has no predecessor.
  return change.from === null ? `${name}: ${to}` : `${name}: ${JSON.stringify(change.from)} -> ${to}`
}

/** What an event decided that changes no member. */
const decisions = ({ type, data }: Recorded): readonly string[] => [
  ...('beyond_quota' in data && data.beyond_quota ? ['beyond_quota: true'] : []),
  ...('reservations' in data ? [`reservations: ${JSON.stringify(data.reservations)}`] : []),
  ...(type === 'UserChanged' && data.credentials?.changed.includes('epoch') ? ['sessions ended'] : []),
]

const shownChanges = ({ event, changes }: HistoryEntry): string =>
  [...changes.map(shownChange), ...decisions(event)].join(', ')

/**
 * For a pipe: time, actor, type, changes and reason, separated by tabs.
 *
 * @param name of the actor, if it is known
 */
export const historyLine = (entry: HistoryEntry, name?: string): string => {
  const { event } = entry
  const { time, actor, role, reason } = event.metadata
  const why = reason === undefined ? [] : [JSON.stringify(reason)]
  return [time, `${name ?? actor} (${role})`, event.type, shownChanges(entry), ...why].join('\t')
}

const TYPE_WIDTH = Math.max(...EVENT_TYPES.map(({ length }) => length))
/** Width of `2030-05-02T05:58:11Z`. A row must fit into 80 columns, so only the other formats have milliseconds. */
const TIME_WIDTH = 20
const INDENT = ' '.repeat(4)

const row = (position: string, revision: string, time: string, type: string, who: string): string =>
  `${position.padStart(8)}  ${revision.padStart(4)}  ${time.padEnd(TIME_WIDTH)}  ${type.padEnd(TYPE_WIDTH)}  ${who}\n`

/** For a terminal: the heading above `historyRow`. */
export const HISTORY_HEADING = row('POSITION', 'REV', 'TIME', 'EVENT', 'WHO')

/**
 * For a terminal: an event in columns, with its changes and reason below.
 *
 * @param name of the actor, if it is known
 */
export const historyRow = (entry: HistoryEntry, name: string | undefined, width: number): string => {
  const { event, position, hidesRevision = false } = entry
  const { time, actor, role, reason } = event.metadata
  const changes = shownChanges(entry)
  const below = [
    ...(changes === '' ? [] : [changes]),
    ...(reason === undefined ? [] : [`why: ${JSON.stringify(reason)}`]),
  ]
  const rowOf = (who: string): string =>
    row(String(position), hidesRevision ? '-' : String(event.revision), time.replace(/\.\d+Z$/, 'Z'), event.type, who)
  const full = rowOf(name === undefined ? `${actor} (${role})` : `${name} (${actor}, ${role})`)
  return (
    (full.length <= width ? full : rowOf(`${name ?? actor} (${role})`)) +
    below.map((text) => wrap(text, width, INDENT)).join('')
  )
}
