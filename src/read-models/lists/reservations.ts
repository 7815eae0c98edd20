import type { Window } from '../../domain/calendar/window.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import {
  and,
  type Condition,
  columnIn,
  columnsOf,
  condition,
  type ListPage,
  optional,
  type PageQuery,
  type PageRow,
  pageOf,
  type Reads,
  readPage,
} from './page.ts'
import { hasTags, isInScope, isVisible, type Visibility } from './scope.ts'

export interface ReservationListQuery extends PageQuery {
  /** Absent to see all. */
  readonly visibility?: Visibility | undefined
  /** Only reservations of these SUTs. */
  readonly sut_ids?: readonly string[] | undefined
  readonly user_id?: string | undefined
  /** Unix seconds: only reservations that end later. */
  readonly endsAfter?: number | undefined
  /** Unix seconds: only reservations that start earlier. */
  readonly startsBefore?: number | undefined
  /** Unix milliseconds: only reservations that began to hold their SUT earlier, at their start or creation. */
  readonly heldBefore?: number | undefined
  /** Leaves out released reservations, which no longer hold their SUT. */
  readonly isHeld?: boolean
  /** Whether cancelled reservations are listed too. */
  readonly withCancelled?: boolean
  /** Whether the page has details of its reservations. */
  readonly withDetails?: boolean
}

/** What a reservation's row shows beyond its document. */
export interface Details {
  readonly ended: string | null
  /** Unix seconds. */
  readonly start: number
  readonly end: number
  /** The end before a release; null if it was not released. */
  readonly plannedEnd: string | null
  /** The name that the SUT has now; null if the SUT is not in sight. */
  readonly sutName: string | null
  /** The series that it belongs to, if any. */
  readonly seriesId: string | null
}

export interface ReservationPage extends ListPage {
  /** Details of each document, if the query asks for them. */
  readonly details?: readonly Details[]
}

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

export const NOT_CANCELLED = "ended IS NOT 'cancelled'"
/** Reservations that were not cancelled. */
export const LISTED = `${CURRENT} AND ${NOT_CANCELLED}`

const filtersOf = ({
  sut_ids,
  user_id,
  endsAfter,
  startsBefore,
  heldBefore,
  isHeld,
  withCancelled,
  visibility,
}: ReservationListQuery): readonly Condition[] => [
  ...(withCancelled ? [] : [condition(NOT_CANCELLED)]),
  ...columnIn('sut', sut_ids),
  ...optional('user = ?', user_id),
  ...optional('ends > ?', endsAfter),
  ...optional('starts < ?', startsBefore),
  ...optional('starts * 1000 + lateness < ?', heldBefore),
  ...(isHeld ? [condition('ended IS NULL')] : []),
  ...isVisible(visibility),
]

/** The columns of a page. To a user with a scope, its own reservations of SUTs outside it have no name of the SUT. */
export const reservationColumns = (
  query: Pick<ReservationListQuery, 'asPositions' | 'withDetails' | 'visibility'>,
): Condition => {
  if (query.asPositions || !query.withDetails) return columnsOf({ ...query, limit: 0, offset: 0 })
  const tags = and(hasTags({ ...query.visibility?.scope }))
  return condition(
    `d.document, d.ended, d.starts AS start, d.ends AS "end", d.internal ->> 'planned_end' AS plannedEnd,
     (SELECT s.document ->> 'name' FROM sut s WHERE s.id = d.sut AND s.${CURRENT}${tags.sql}) AS sutName,
     d.series AS seriesId`,
    ...tags.values,
  )
}

export type DetailedRow = PageRow & Details

/** Reservations, now or as of the past. */
export const makeReservationList =
  (reads: Reads) =>
  (query: ReservationListQuery): ReservationPage => {
    const { endsAfter, startsBefore, isHeld, withDetails = false, asPositions = false } = query
    const isNarrow = endsAfter !== undefined || startsBefore !== undefined || isHeld === true
    const columns = reservationColumns(query)
    const page = readPage<DetailedRow>(reads, 'reservation', filtersOf(query), columns, query, isNarrow)
    if (!withDetails || asPositions) return pageOf(page, query)
    return { ...pageOf(page, query), details: page.rows.map(({ document: _, ...details }) => details) }
  }

/** Series, newest first. Of the filters of reservations, those of SUTs and of a user. */
export const makeSeriesList =
  (reads: Reads) =>
  (query: ReservationListQuery): ListPage => {
    const { sut_ids, user_id, visibility } = query
    const filters = [...columnIn('sut', sut_ids), ...optional('user = ?', user_id), ...isVisible(visibility)]
    return pageOf(readPage(reads, 'series', filters, columnsOf(query), query), query)
  }

/** A row of a reservation of a series. */
export interface SeriesReservation extends Window {
  readonly id: string
  readonly document: string
  readonly ended: string | null
}

/** A window in which a SUT is or was held. Unix seconds. */
interface HeldRow extends Window {
  readonly sut_id: string
}

export const makeReservationReads = (ask: RunQuery) => {
  /** The windows in which SUTs are held within a span, by start. */
  const heldBy = (sutIds: readonly string[], { start, end }: Window): readonly HeldRow[] => {
    const ids = [...new Set(sutIds)]
    if (ids.length === 0 || start >= end) return []
    const [ofSuts] = columnIn('sut', ids) as readonly [Condition]
    return ask(
      `SELECT sut AS sut_id, starts AS start, ends AS "end" FROM reservation
       WHERE ${LISTED} AND ${ofSuts.sql} AND ends > ? AND starts < ? ORDER BY starts`,
      ...[...ofSuts.values, start, end],
    )
  }

  return {
    heldBy,
    /** The same of one SUT. */
    held: (sutId: string, span: Window): readonly Window[] =>
      heldBy([sutId], span).map(({ start, end }) => ({ start, end })),

    seriesReservations: (seriesId: string): readonly SeriesReservation[] =>
      ask(
        `SELECT id, document, ended, starts AS start, ends AS "end" FROM reservation
         WHERE series = ? AND ${CURRENT} ORDER BY starts, created`,
        seriesId,
      ),

    /** The users that hold or held a listed reservation of a SUT in a scope. */
    holders: (scope: Scope): readonly string[] => {
      const { sql, values } = isInScope(scope)
      return ask<{ user: string }>(`SELECT DISTINCT user FROM reservation WHERE ${LISTED} AND ${sql}`, ...values).map(
        ({ user }) => user,
      )
    },
  }
}
