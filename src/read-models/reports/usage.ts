/** For how long SUTs were held and used, and what became of reservations. */

import type { DatabaseSync } from 'node:sqlite'
import { fits, type Scope } from '../../domain/user/scope.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../../domain/values/instant.ts'
import type { Milliseconds, UnixMilliseconds } from '../../domain/values/units.ts'
import { prepare, prepareArrays } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import { type Cells, type Figures, makeDistinct, makeReport, type ReportBy, type ReportQuery } from './cells.ts'

export interface UsageReportQuery extends ReportQuery {
  readonly by: ReportBy
  /** The tags of the SUTs that this instance forwards; undefined if none. */
  readonly forwarded?: Scope | undefined
}

/**
 * A reservation, and one of its sessions if it has any. Consecutive rows may be of the same. `starts` and `ends` are in
 * Unix seconds; it held its SUT from `lateness` milliseconds after its start on.
 */
type UsageRow = readonly [
  ...[position: number, sut: string, user: string, starts: number, ends: number, lateness: number],
  ...[ended: string | null, opens: number | null, closes: number],
  ...[released: string | null, planned: string | null, tag: string | null],
]

type Part = readonly [from: UnixMilliseconds, to: UnixMilliseconds]

interface Cell {
  held: Milliseconds
  used: Milliseconds
  reservations: number
  unused: number
  cancelled: number
  releasedEarly: Milliseconds
  /** Whether a SUT that is forwarded is among those of the row. */
  isForwarded: boolean
  readonly users: ReturnType<typeof makeDistinct>
  readonly suts: ReturnType<typeof makeDistinct>
}

const makeCell = (): Cell => ({
  ...{ held: 0, used: 0, reservations: 0, unused: 0, cancelled: 0, releasedEarly: 0, isForwarded: false },
  users: makeDistinct(),
  suts: makeDistinct(),
})

const seconds = (milliseconds: Milliseconds): number => Math.floor(milliseconds / 1000)

export const USAGE_FIGURES = {
  held_seconds: ({ held }) => seconds(held),
  used_seconds: ({ isForwarded, used }) => (isForwarded ? seconds(used) : Number.NaN),
  reservations: ({ reservations }) => reservations,
  unused_reservations: ({ isForwarded, unused }) => (isForwarded ? unused : Number.NaN),
  cancelled: ({ cancelled }) => cancelled,
  released_early_seconds: ({ releasedEarly }) => seconds(releasedEarly),
  users: ({ users }) => users.count(),
  suts: ({ suts }) => suts.count(),
} satisfies Figures<Cell>

/**
 * Reservations that reach into a span, of one user or of all. Tags are as they were when each was made. In the order of
 * the file, so that a page of it is read once: by their ends, pages would be read again and again.
 */
const ROWS = `
  SELECT r.position, r.sut, r.user, r.starts, r.ends, r.lateness, r.ended, s.opens, s.closes,
    iif(r.ended = 'released', r.document ->> 'updated_at', NULL),
    iif(r.ended = 'released', r.internal ->> 'planned_end', NULL),
    iif(?1 IS NULL, NULL, (SELECT tags ->> ?1 FROM sut WHERE id = r.sut AND sut.position <= r.created
      ORDER BY sut.position DESC LIMIT 1))
  FROM (
    SELECT position FROM reservation
    WHERE ${CURRENT} AND ends >= ?2 AND starts < ?3 AND (?4 IS NULL OR +user = ?4) ORDER BY +position LIMIT -1) AS page
  CROSS JOIN reservation r LEFT JOIN session s ON s.reservation = r.id AND s.${CURRENT}
  WHERE r.position = page.position`

/** Reads reservations one by one, with all their sessions, open ones until now. */
function* readReserved(
  db: DatabaseSync,
  { from, to, by, user_id, now }: UsageReportQuery,
): Generator<readonly [row: UsageRow, sessions: Part[]]> {
  const path = typeof by === 'object' ? `$."${by.tag}"` : null
  const rows = prepareArrays<UsageRow>(db, ROWS)
  let current: readonly [row: UsageRow, sessions: Part[]] | undefined
  for (const row of rows.iterate(path, Math.floor(from / 1000), Math.ceil(to / 1000), user_id ?? null)) {
    const [position, , , , , , , opens, closes] = row
    if (position !== current?.[0][0]) {
      if (current !== undefined) yield current
      current = [row, []]
    }
    if (opens !== null) current[1].push([opens, Math.min(closes, now)])
  }
  if (current !== undefined) yield current
}

/** Parts of time without those that others have too. */
const union = (parts: Part[]): readonly Part[] => {
  if (parts.length < 2) return parts
  const all: Part[] = []
  for (const [from, to] of parts.sort(([a], [b]) => a - b)) {
    const last = all.at(-1)
    if (last !== undefined && from <= last[1]) all[all.length - 1] = [last[0], Math.max(last[1], to)]
    else all.push([from, to])
  }
  return all
}

/** What reports need to know of SUTs. */
const makeSuts = (db: DatabaseSync, { scope, forwarded }: Pick<UsageReportQuery, 'scope' | 'forwarded'>) => {
  const used = prepare(db, `SELECT 1 FROM session WHERE sut = ? AND ${CURRENT} LIMIT 1`)
  const current = prepare<{ readonly name: string; readonly tags: string }>(
    db,
    `SELECT document ->> 'name' AS name, tags FROM sut WHERE id = ? ORDER BY position DESC LIMIT 1`,
  )
  const read = (id: string) => {
    const { name = id, tags: text = '{}' } = current.get(id) ?? {}
    const tags = JSON.parse(text) as Scope
    return {
      name,
      isInScope: scope === undefined || fits(tags, scope),
      /** Whether this instance forwards it now, or any instance has recorded a session of it. */
      isForwarded: (forwarded !== undefined && fits(tags, forwarded)) || used.get(id) !== undefined,
    }
  }
  const known = new Map<string, ReturnType<typeof read>>()
  return (id: string) => {
    const sut = known.get(id) ?? read(id)
    known.set(id, sut)
    return sut
  }
}

/** Makes the function that adds a reservation to the cells that it belongs to. */
const makeAdd = (cells: Cells<Cell>, sutOf: ReturnType<typeof makeSuts>, { from, to, by, now }: UsageReportQuery) => {
  const isWithin = (moment: UnixMilliseconds): boolean => moment >= from && moment < to
  return (row: UsageRow, sessions: Part[]): void => {
    const [, sut, user, starts, ends, lateness, ended, , , released, planned, tag] = row
    const { isInScope, isForwarded } = sutOf(sut)
    if (!isInScope) return
    const [start, end] = [starts * 1000, ends * 1000]
    const key = by === 'sut' ? sut : by === 'user' ? user : tag
    const at = (moment: UnixMilliseconds): Cell => {
      const cell = cells.at(moment, key)
      cell.isForwarded ||= isForwarded
      return cell
    }
    if (ended === 'cancelled') {
      if (isWithin(start)) at(start).cancelled++
      return
    }
    if (isWithin(start)) {
      const cell = at(start)
      cell.reservations++
      if (end <= now && sessions.length === 0) cell.unused += Number(isForwarded)
    }
    const [first, last] = [Math.max(start + lateness, from), Math.min(end, to)]
    cells.spread(first, last, key, (cell, milliseconds) => {
      cell.held += milliseconds
      cell.isForwarded ||= isForwarded
      cell.users.add(user)
      cell.suts.add(sut)
    })
    for (const [opened, closed] of union(sessions))
      cells.spread(Math.max(opened, first), Math.min(closed, last), key, (cell, milliseconds) => {
        cell.used += milliseconds
      })
    if (released === null || planned === null) return
    const [moment, early] = [epochMillisecondsOf(released), epochSecondsOf(planned) * 1000 - end]
    if (early > 0 && isWithin(moment)) at(moment).releasedEarly += early
  }
}

export const makeUsageReport = makeReport(makeCell, (db, query: UsageReportQuery, cells) => {
  const sutOf = makeSuts(db, query)
  const add = makeAdd(cells, sutOf, query)
  for (const [row, sessions] of readReserved(db, query)) add(row, sessions)
  const report = cells.toReport(USAGE_FIGURES)
  const nameOf = (key: string | null): string | null => (query.by === 'sut' && key !== null ? sutOf(key).name : key)
  return query.by === 'user' ? report : { ...report, names: report.keys.map(nameOf) }
})
