import type { Window } from '../../domain/calendar/window.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import { and, type Condition, columnIn, condition, type List, optional, type PageQuery } from './page.ts'
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
  readonly withCancelled?: boolean
  readonly withDetails?: boolean
}

/** What the row of a reservation has beside its document. */
export interface ReservationDetails {
  readonly ended: string | null
  /** As JSON text. */
  readonly internal: string
  /** The name that the SUT has now; null if the SUT is not in sight. */
  readonly sutName: string | null
}

export const RESERVATION_STATES = ['ahead', 'running', 'over', 'released', 'cancelled'] as const
export type ReservationState = (typeof RESERVATION_STATES)[number]

/** @param now Unix milliseconds */
export const reservationStateOf = (ended: string | null, { start, end }: Window, now: number): ReservationState => {
  if (ended === 'released' || ended === 'cancelled') return ended
  const second = Math.floor(now / 1000)
  if (second < start) return 'ahead'
  return second < end ? 'running' : 'over'
}

export const NOT_CANCELLED = "ended IS NOT 'cancelled'"
export const LISTED = `${CURRENT} AND ${NOT_CANCELLED}`

/** Reservations, now or as of the past. */
export const RESERVATIONS: List<ReservationListQuery> = {
  table: 'reservation',
  filters: (query) => [
    ...(query.withCancelled ? [] : [condition(NOT_CANCELLED)]),
    ...columnIn('sut', query.sut_ids),
    ...optional('user = ?', query.user_id),
    ...optional('ends > ?', query.endsAfter),
    ...optional('starts < ?', query.startsBefore),
    ...optional('starts * 1000 + lateness < ?', query.heldBefore),
    ...(query.isHeld ? [condition('ended IS NULL')] : []),
    ...isVisible(query.visibility),
  ],
  details: ({ withDetails, visibility }) => {
    if (!withDetails) return undefined
    // To a user with a scope, its own reservations of SUTs outside it have no name of the SUT.
    const tags = and(hasTags({ ...visibility?.scope }))
    const name = `SELECT s.document ->> 'name' FROM sut s WHERE s.id = d.sut AND s.${CURRENT}${tags.sql}`
    return condition(`d.ended, d.internal, (${name}) AS sutName`, ...tags.values)
  },
  isNarrow: ({ endsAfter, startsBefore, isHeld }) =>
    endsAfter !== undefined || startsBefore !== undefined || isHeld === true,
}

/** Of the filters of reservations, those of SUTs and of a user. */
export const SERIES: List<ReservationListQuery> = {
  table: 'series',
  filters: ({ sut_ids, user_id, visibility }) => [
    ...columnIn('sut', sut_ids),
    ...optional('user = ?', user_id),
    ...isVisible(visibility),
  ],
}

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
