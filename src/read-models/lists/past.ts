import type { DatabaseSync } from 'node:sqlite'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { makePositionAt } from '../tables/log-index.ts'
import {
  CANCELLED,
  RESERVATION_LISTED as LISTED_RESERVATIONS,
  RESERVATION_FORMER,
  segmentOf,
} from '../tables/reservation-table.ts'
import type { Version } from '../tables/version.ts'
import { type Condition, condition, optional, type Reads, rowsFrom } from './conditions.ts'
import { columnsOf, pageOfRows, readPage } from './details.ts'
import { indexOf, withKeys } from './keyed-query.ts'
import type { PageQuery, Past } from './lists.ts'
import { reservationFiltersOf as reservationFilters } from './reservation-list.ts'
import type { Scopes } from './scope.ts'
import { sutFiltersOf as sutFilters, sutRowsOf as sutRows } from './sut-list.ts'

const COLUMNS = 'position, revision, id, document, ended, created'

/** A source of rows: an index and its conditions. */
interface Branch {
  readonly index: string
  readonly conditions: readonly Condition[]
}

const whole = (branches: readonly Branch[], table: string, more: readonly Condition[]): Condition => {
  const each = branches.map(({ index, conditions }) =>
    rowsFrom(`${table} r INDEXED BY ${index}`, [...conditions, ...more]),
  )
  return condition(
    each.map(({ sql }) => `SELECT r.position, r.created ${sql}`).join(' UNION ALL '),
    ...each.flatMap(({ values }) => values),
  )
}

/** The versions current as of a position: those still current and recorded by then, and those replaced later. */
const branchesOf = (
  [listed, former]: readonly [index: string, index: string],
  isListed: string,
  asOf: PublicPosition,
): readonly Branch[] => {
  const wasThere = condition('r.position <= ?', asOf)
  const wasNotReplaced = condition('r.until > ?', asOf)
  return [
    { index: listed, conditions: [condition(isListed), wasThere] },
    { index: former, conditions: [condition(RESERVATION_FORMER), wasThere, wasNotReplaced] },
  ]
}

const pageOf = (
  { ask, count: countOf }: Reads,
  table: string,
  branches: readonly Branch[],
  filters: readonly Condition[],
  part: PageQuery,
  columns: Condition,
) => {
  const all = whole(branches, table, filters)
  const count = countOf(condition(`FROM (${all.sql})`, ...all.values))
  if (count <= part.offset || part.limit === 0) return { rows: [], count }
  const { sql, values } = whole(branches, table, [...filters, ...optional('r.created < ?', part.createdBefore)])
  const newestFirst = condition(`SELECT position, created FROM (${sql}) ORDER BY created DESC`, ...values)
  return { rows: readPage(ask, table, newestFirst, columns, part), count }
}

const makeReservations =
  (reads: Reads, names: IdKeys, scopes: Scopes): Past['reservations'] =>
  (query, asOf, segment) => {
    const asked = withKeys(query, names, scopes)
    if (asked === undefined) return pageOfRows([], 0, query)
    const indexes = [indexOf(asked) ?? 'reservation_by_sut', 'reservation_former'] as const
    const cancelled = {
      index: 'reservation_cancelled',
      conditions: [condition(CANCELLED), condition('r.position <= ?', asOf)],
    }
    const branches = [...branchesOf(indexes, LISTED_RESERVATIONS, asOf), ...(query.withCancelled ? [cancelled] : [])]
    const filters = [condition('r.segment = ?', segment), ...reservationFilters(asked)]
    const { rows, count } = pageOf(reads, 'reservation', branches, filters, query, columnsOf(query))
    return pageOfRows(rows, count, query)
  }

/** Reads as of the past, from rows that know the positions between which they were current. */
export const makePast = (db: DatabaseSync, reads: Reads, names: IdKeys, scopes: Scopes): Past => {
  const versionOf = (table: 'sut' | 'reservation') =>
    prepare<Version>(
      db,
      `SELECT ${COLUMNS}${table === 'sut' ? ', observed' : ''} FROM ${table} WHERE id = ? AND position <= ?
       ORDER BY position DESC LIMIT 1`,
    )
  const versions = { sut: versionOf('sut'), reservation: versionOf('reservation') }
  return {
    positionAt: makePositionAt(db),
    version: (kind, id, asOf) => versions[kind].get(id, asOf),
    segments: (asOf) =>
      reads.ask<{ n: number }>('SELECT n FROM segment WHERE n <= ? ORDER BY n DESC', segmentOf(asOf)).map(({ n }) => n),
    reservations: makeReservations(reads, names, scopes),
    suts: (query, asOf) => {
      const [index, isListed] = sutRows(query)
      const wereRetired = query.retired ? [condition('r.ended IS NOT NULL')] : []
      const filters = [...wereRetired, ...sutFilters(query)]
      const branches = branchesOf([index, 'sut_former'], isListed, asOf)
      const { rows, count } = pageOf(reads, 'sut', branches, filters, query, columnsOf(query))
      return pageOfRows(rows, count, query)
    },
  }
}
