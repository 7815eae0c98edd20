import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { type Condition, condition, optional, type Reads } from './conditions.ts'
import type { Details, ListPage, PageQuery, ReservationListQuery } from './lists.ts'

/** Details of reservations are read from rows `d`. */

export const RESERVATION_STATES = ['ahead', 'running', 'over', 'released', 'cancelled'] as const
export type ReservationState = (typeof RESERVATION_STATES)[number]

/** @param now Unix milliseconds */
export const reservationStateOf = (
  { ended, start, end }: Pick<Details, 'ended' | 'start' | 'end'>,
  now: number,
): ReservationState => {
  if (ended === 'released' || ended === 'cancelled') return ended
  const second = Math.floor(now / 1000)
  if (second < start) return 'ahead'
  return second < end ? 'running' : 'over'
}

const DOCUMENT = condition('d.document')

const PLANNED_END = `CASE d.ended WHEN 'released' THEN (SELECT f.document ->> 'end_time' FROM reservation f
  WHERE f.id = d.id AND f.position < d.position ORDER BY f.position DESC LIMIT 1) END`

const SUT_NAME = `(SELECT s.document ->> 'name' FROM sut s
  WHERE s.id = (SELECT n.id FROM name n WHERE n.key = d.sut) ORDER BY s.position DESC LIMIT 1)`

const SERIES_ID = '(SELECT m.series FROM series_member m WHERE m.id = d.id)'

const HAS_TAG = 'EXISTS (SELECT 1 FROM sut_tag t WHERE t.sut = d.sut AND t.name = ? AND t.value = ?)'

type Selection = Pick<ReservationListQuery, 'asPositions' | 'withDetails' | 'visibility'>

/** The columns of a page. To a user with a scope, its own reservations of SUTs outside it have no name of the SUT. */
export const columnsOf = ({ asPositions, withDetails, visibility }: Selection): Condition => {
  if (asPositions) return condition('d.position')
  if (!withDetails) return DOCUMENT
  const tags = Object.entries(visibility?.scope ?? {})
  const name = tags.length === 0 ? SUT_NAME : `CASE WHEN ${tags.map(() => HAS_TAG).join(' AND ')} THEN ${SUT_NAME} END`
  return condition(
    `d.document, d.ended, d.starts AS start, d.ends AS "end", ${PLANNED_END} AS plannedEnd, ${name} AS sutName,
    ${SERIES_ID} AS seriesId`,
    ...tags.flat(),
  )
}

/** A row with these columns. */
export type DetailedRow = { readonly document: string; readonly position: PublicPosition } & Details

/**
 * Reads a page of the documents of a table. `rows` selects the position of each and when it was created, in order,
 * newest created first.
 */
export const readPage = <Row = DetailedRow>(
  ask: RunQuery,
  table: string,
  rows: Condition,
  columns: Condition,
  { limit, offset }: PageQuery,
): readonly Row[] =>
  ask(
    `SELECT ${columns.sql} FROM (${rows.sql} LIMIT ? OFFSET ?) AS page
     CROSS JOIN ${table} d WHERE d.position = page.position ORDER BY page.created DESC`,
    ...columns.values,
    ...rows.values,
    limit,
    offset,
  )

/** Counts the rows that meet conditions, and reads a page of them, newest created first. */
export const countAndRead = <Row = DetailedRow>(
  { ask, count }: Reads,
  table: string,
  rowsWhere: (conditions: readonly Condition[]) => Condition,
  filters: readonly Condition[],
  columns: Condition,
  query: PageQuery,
): { readonly rows: readonly Row[]; readonly count: number } => {
  const { sql, values } = rowsWhere([...filters, ...optional('created < ?', query.createdBefore)])
  const newestFirst = condition(`SELECT position, created ${sql} ORDER BY created DESC`, ...values)
  return {
    rows: readPage<Row>(ask, table, newestFirst, columns, query),
    count: count(rowsWhere(filters)),
  }
}

export const pageOfRows = (
  rows: readonly DetailedRow[],
  count: number,
  { asPositions, withDetails }: Selection,
): ListPage => {
  if (asPositions) return { documents: [], count, positions: rows.map(({ position }) => position) }
  const documents = rows.map(({ document }) => document)
  return { documents, count, ...(withDetails && { details: rows.map(({ document: _, ...details }) => details) }) }
}
