import type { DatabaseSync } from 'node:sqlite'
import type { ReservationKeepaliveColumns } from '../../../projections/reservation-run.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import type { IdKeys } from './id-keys.ts'
import type { Row } from './version.ts'

/** The SUT whose own stream the event of a row is in. */
const sutOf = ({ projection, version }: Row): string | undefined => {
  if (version === undefined) return undefined
  switch (projection) {
    case 'sut':
      return version.isObserved ? undefined : version.id
    case 'reservation':
    case 'reservation_run':
      return version.columns[0] as string
    case 'reservation_keepalive': {
      const [sutId, , isKept] = version.columns as ReservationKeepaliveColumns
      return isKept ? sutId : undefined
    }
    default:
      return undefined
  }
}

/** Positions of events in the streams of some SUTs. */
const positionsIn = (
  rows: readonly Row[],
  sutIds: ReadonlySet<string>,
): ReadonlyMap<string, readonly PublicPosition[]> => {
  const positions = new Map([...sutIds].map((sutId) => [sutId, [] as PublicPosition[]]))
  for (const row of rows) {
    const sutId = sutOf(row)
    if (sutId !== undefined && row.version !== undefined) positions.get(sutId)?.push(row.version.position)
  }
  return positions
}

/**
 * Returns a function that gives the events of sessions among some rows their places in the histories of their SUTs. All
 * rows must be in their tables, with whole events. A SUT's history merges two streams in the order of the log, and a
 * page of it is found by its number: each event of a session has to know how many events of the SUT's own stream come
 * before it.
 *
 * @param eventsOf the number of events of a SUT's own stream so far
 */
export const makeAssignPlaces = (
  db: DatabaseSync,
  { find }: Pick<IdKeys, 'find'>,
  eventsOf: (sutId: string) => number,
): ((rows: readonly Row[]) => void) => {
  const newest = prepare<{ nth: number }>(
    db,
    'SELECT nth FROM session WHERE sut = ? ORDER BY sut DESC, place DESC LIMIT 1',
  )
  const set = db.prepare('UPDATE session SET place = ?, nth = ? WHERE position = ?')
  return (rows) => {
    const sessions = rows.filter(({ projection }) => projection === 'session')
    if (sessions.length === 0) return
    const sutIds = new Set(sessions.map(({ version }) => version?.columns[1] as string))
    const positions = positionsIn(rows, sutIds)
    for (const sutId of sutIds) {
      const sut = find(sutId) as number
      const all = eventsOf(sutId)
      const here = positions.get(sutId) ?? []
      let nth = newest.get(sut)?.nth ?? -1
      for (const { version } of sessions) {
        if (version?.columns[1] !== sutId) continue
        const before = all - here.filter((position) => position > version.position).length
        nth += 1
        set.run(before + nth, nth, version.position)
      }
    }
  }
}
