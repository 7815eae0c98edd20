import type { DatabaseSync } from 'node:sqlite'
import { bucketsOf } from '../../domain/calendar/buckets.ts'
import { fits, type Scope } from '../../domain/user/scope.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../../domain/values/instant.ts'
import type { Milliseconds, UnixMilliseconds } from '../../domain/values/units.ts'
import { prepare, prepareArrays } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import {
  type Cells,
  makeCells,
  makeDistinct,
  type ReportBy,
  type ReportColumns,
  type ReportQuery,
  unlessTooMany,
} from './cells.ts'

/** For how long SUTs were held and used, and what became of reservations. */

export interface UsageReportQuery extends ReportQuery {
  readonly by: ReportBy
  /** The tags of the SUTs that this instance forwards; undefined if none. */
  readonly forwarded?: Scope | undefined
}

/** A reservation, and one of its sessions if it has any. Consecutive rows may be of the same. */
type UsageRow = readonly [
  ...[position: number, sut: string, user: string, starts: number, ends: number, lateness: number],
  ...[ended: string | null, opens: number | null, closes: number],
  ...[released: string | null, planned: string | null, tag: string | null],
]

type Part = readonly [from: UnixMilliseconds, to: UnixMilliseconds]

/** Times are in Unix milliseconds. */
interface Reserved {
  readonly sut: string
  readonly user: string
  readonly start: number
  /** From when on it held its SUT. */
  readonly held: number
  readonly end: number
  readonly isCancelled: boolean
  /** When it was released, and what that gave back. */
  readonly released?: { readonly at: number; readonly milliseconds: Milliseconds } | undefined
  readonly tag: string | null
  readonly sessions: Part[]
}

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

/** In the order of the columns. NaN where nothing is known. */
const figuresOf = (cell: Cell): readonly number[] => [
  seconds(cell.held),
  cell.isForwarded ? seconds(cell.used) : Number.NaN,
  cell.reservations,
  cell.isForwarded ? cell.unused : Number.NaN,
  cell.cancelled,
  seconds(cell.releasedEarly),
  cell.users.count(),
  cell.suts.count(),
]

export const USAGE_FIGURES = [
  ...(['held_seconds', 'used_seconds', 'reservations', 'unused_reservations', 'cancelled'] as const),
  ...(['released_early_seconds', 'users', 'suts'] as const),
] as const

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

const toReserved = (row: UsageRow): Reserved => {
  const [, sut, user, starts, ends, lateness, ended, , , released, planned, tag] = row
  return {
    ...{ sut, user, start: starts * 1000, held: starts * 1000 + lateness, end: ends * 1000 },
    ...{ isCancelled: ended === 'cancelled', tag, sessions: [] },
    released:
      released === null || planned === null
        ? undefined
        : { at: epochMillisecondsOf(released), milliseconds: (epochSecondsOf(planned) - ends) * 1000 },
  }
}

/** Reads reservations one by one, with all their sessions, open ones until now. */
function* readReserved(db: DatabaseSync, { from, to, by, user_id, now }: UsageReportQuery): Generator<Reserved> {
  const path = typeof by === 'object' ? `$."${by.tag}"` : null
  const rows = prepareArrays<UsageRow>(db, ROWS)
  let current: { readonly position: number; readonly reserved: Reserved } | undefined
  for (const row of rows.iterate(path, Math.floor(from / 1000), Math.ceil(to / 1000), user_id ?? null)) {
    const [position, , , , , , , opens, closes] = row
    if (position !== current?.position) {
      if (current !== undefined) yield current.reserved
      current = { position, reserved: toReserved(row) }
    }
    if (opens !== null) current.reserved.sessions.push([opens, Math.min(closes, now)])
  }
  if (current !== undefined) yield current.reserved
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
  return ({ sut, user, start, held, end, isCancelled, released, tag, sessions }: Reserved): void => {
    const { isInScope, isForwarded } = sutOf(sut)
    if (!isInScope) return
    const key = by === 'sut' ? sut : by === 'user' ? user : tag
    const at = (moment: UnixMilliseconds): Cell => {
      const cell = cells.at(moment, key)
      cell.isForwarded ||= isForwarded
      return cell
    }
    if (isCancelled) {
      if (isWithin(start)) at(start).cancelled++
      return
    }
    if (isWithin(start)) {
      const cell = at(start)
      cell.reservations++
      if (end <= now && sessions.length === 0) cell.unused += Number(isForwarded)
    }
    const [first, last] = [Math.max(held, from), Math.min(end, to)]
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
    if (released !== undefined && released.milliseconds > 0 && isWithin(released.at))
      at(released.at).releasedEarly += released.milliseconds
  }
}

/** Sums up for how long SUTs were held and used. @throws TooManyRows */
const sumUsage = (db: DatabaseSync, query: UsageReportQuery): ReportColumns => {
  const { by, bucket, rowsMax } = query
  const cells = makeCells(bucketsOf(query, bucket), rowsMax, makeCell)
  const sutOf = makeSuts(db, query)
  const add = makeAdd(cells, sutOf, query)
  for (const reserved of readReserved(db, query)) add(reserved)
  const report = cells.toReport({ figures: USAGE_FIGURES }, figuresOf)
  if (by === 'user') return report
  const nameOf = (key: string | null): string | null => (by === 'sut' && key !== null ? sutOf(key).name : key)
  return { ...report, names: report.keys.map(nameOf) }
}

/** Undefined if there are more rows than the query allows. */
export const makeUsageReport = (db: DatabaseSync) => (query: UsageReportQuery) =>
  unlessTooMany(() => sumUsage(db, query))
