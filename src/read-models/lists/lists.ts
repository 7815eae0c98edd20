import type { Window } from '../../domain/calendar/window.ts'
import type { MonitoringStatus } from '../../domain/monitoring/status.ts'
import type { RequestStatus } from '../../domain/request/status.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { SeriesReservation } from '../tables/reservation-table.ts'
import type { Version } from '../tables/version.ts'
import type { Histories, SessionEvents } from './histories.ts'
import type { OutageListQuery, SutOutages } from './outages.ts'
import type { FinishedQuery, UnfinishedQuery, UnfinishedRow, Used } from './usage.ts'

/** A page of a list. */
export interface PageQuery {
  readonly limit: number
  readonly offset: number
  /** Only documents created before the one whose first version is at this position. */
  readonly createdBefore?: PublicPosition | undefined
  /** Whether the page has the positions of its rows in place of their documents. */
  readonly asPositions?: boolean
}

/** What a user sees: reservations of the SUTs in its scope, and its own. */
export interface Visibility {
  readonly scope: Scope
  readonly user_id: string
}

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

export interface SutListQuery extends PageQuery {
  readonly sut_type?: string | undefined
  readonly is_active?: boolean | undefined
  readonly monitoring?: MonitoringStatus | undefined
  /** Only those that are probed, whatever their status. */
  readonly isMonitored?: true | undefined
  /** A part of the name, in any case. */
  readonly name?: string | undefined
  readonly tags?: Readonly<Record<string, string>>
  /** Whether to list retired SUTs, and only those. */
  readonly retired?: boolean | undefined
  /** Only active SUTs that nothing holds in this span. */
  readonly free?: Window | undefined
  /** Only SUTs with these tags too. */
  readonly scope?: Scope | undefined
  /** Whether the page has what responses omit of its SUTs. */
  readonly withDisplays?: boolean
}

/** Of SUTs, and how many there are. */
export interface SutState {
  readonly isActive: boolean
  readonly monitoring: MonitoringStatus
  readonly count: number
}

export interface SutRequestQuery extends PageQuery {
  readonly status?: RequestStatus | undefined
  readonly user_id?: string | undefined
  /** Only those that name this SUT and, if the reader sees it, those that it fits. */
  readonly sut?: { readonly _id: string; readonly isSeen: boolean } | undefined
  /** Absent to see all. Otherwise a user sees its own, and those that a SUT in its scope fits. */
  readonly visibility?: Visibility | undefined
}

export interface SessionQuery extends PageQuery {
  readonly sut_id?: string | undefined
  readonly user_id?: string | undefined
  readonly reservation_id?: string | undefined
  /** Unix milliseconds: only sessions that close later, or are open. */
  readonly closesAfter?: number | undefined
  /** Unix milliseconds: only sessions that open earlier. */
  readonly opensBefore?: number | undefined
  readonly isOpen?: boolean
}

/** Documents as JSON texts, newest created first. */
export interface ListPage {
  readonly documents: readonly string[]
  /** The number of matches, regardless of the page. */
  readonly count: number
  /** The positions of the rows, if the query asks for them. */
  readonly positions?: readonly PublicPosition[]
  /** Details of each document, if the query asks for them. */
  readonly details?: readonly Details[]
  /** What responses omit of each SUT, as JSON text, if the query asks for it; null where nothing is recorded. */
  readonly displays?: readonly (string | null)[]
}

/**
 * What responses can add to a reservation: names and its series, which its document has not, and its state, which
 * depends on the time.
 */
export type ListInclusion = 'names' | 'state' | 'series'

/** What is listed, and what is added to each row. */
export type CsvList =
  | { readonly of: 'sut' | 'session' | 'sut_request' }
  | {
      readonly of: 'reservation'
      readonly include: ReadonlySet<ListInclusion | 'cancelled'>
      /** Unix milliseconds: the time of the states. */
      readonly now: number
      readonly visibility: Visibility | undefined
    }

/**
 * Rows of a list as CSV, at the positions that the list has: what is stored at a position never changes, so rows read
 * later still are those of the list.
 */
export interface CsvQuery {
  readonly list: CsvList
  readonly positions: readonly PublicPosition[]
}

/** Text with gaps. Each gap is for the name of a user, in order. */
export interface CsvRows {
  readonly texts: readonly string[]
  /** One less than texts. */
  readonly userIds: readonly string[]
}

/** Reads as of the event at a position. Such results never change, so they can be read in pieces. */
export interface Past {
  /** The position of the last event recorded at or before a Unix time in milliseconds; -1 if there is none. */
  readonly positionAt: (time: number) => PublicPosition
  readonly version: (kind: 'sut' | 'reservation', id: string, asOf: PublicPosition) => Version | undefined
  /** The segments in which reservations are read, newest first. */
  readonly segments: (asOf: PublicPosition) => readonly number[]
  /** A page within one segment; `count` is the number of matches in that segment. */
  readonly reservations: (query: ReservationListQuery, asOf: PublicPosition, segment: number) => ListPage
  readonly suts: (query: SutListQuery, asOf: PublicPosition) => ListPage
}

/** A span of Unix seconds, read in pages: reservations whose newest version is after a position, at most `limit`. */
interface SpanPage {
  readonly from: number
  readonly to: number
  readonly after: PublicPosition
  readonly limit: number
}

/** A reservation that holds its SUT. */
export interface UpcomingRow {
  /** The position of its newest version. */
  readonly position: PublicPosition
  readonly _id: string
}

/** A window in which a SUT is or was held. Unix seconds. */
export interface HeldRow extends Window {
  readonly sut_id: string
  readonly isReleased: boolean
}

/** What holds or held SUTs, of the reservations that were made at about the same time. Unix seconds. */
export interface WindowsPage {
  /** Where to go on; undefined at the end. */
  readonly next: number | undefined
  /** Those that end after the moment. */
  readonly windows: readonly HeldRow[]
  /** The latest end of each SUT until then. */
  readonly ends: readonly { readonly sut_id: string; readonly end: number }[]
}

/** Reservations of a user that were ended before their end. */
export interface EndedEarly {
  readonly cancelled: number
  readonly released: number
}

/** Unix seconds. */
export interface EndedBetween {
  readonly from: number
  readonly to: number
}

/** Reads lists from the rows of documents. */
export interface Lists {
  readonly reservations: (query: ReservationListQuery) => ListPage
  readonly suts: (query: SutListQuery) => ListPage
  /** All SUTs that are not retired, with their turnaround in seconds. */
  readonly everySut: () => readonly { readonly document: string; readonly turnaround: number }[]
  /** How many SUTs that are not retired have each state. */
  readonly sutStates: () => readonly SutState[]
  readonly sessions: (query: SessionQuery) => ListPage
  readonly series: (query: ReservationListQuery) => ListPage
  readonly sutRequests: (query: SutRequestQuery) => ListPage
  readonly seriesReservations: (seriesId: string) => readonly SeriesReservation[]
  /** When SUTs were offline; undefined if there are more changes than the query allows. */
  readonly outages: (query: OutageListQuery) => readonly SutOutages[] | undefined
  /** The windows in which a SUT is held within a span, by start. */
  readonly held: (sutId: string, span: Window) => readonly Window[]
  /** The same of several SUTs, by start. */
  readonly heldBy: (sutIds: readonly string[], span: Window) => readonly HeldRow[]
  /** The latest end of reservations of SUTs until a moment. */
  readonly lastEnds: (sutIds: readonly string[], moment: number) => ReadonlyMap<string, number>
  /** The turnaround of those SUTs that have one. */
  readonly turnaroundsOf: (sutIds: readonly string[]) => ReadonlyMap<string, number>
  /** For the processes that act on time: what holds SUTs within a span, and whose end was not recorded. */
  readonly upcoming: (page: SpanPage) => readonly UpcomingRow[]
  readonly unrecorded: (ended: EndedBetween) => readonly string[]
  /** For matching: the windows of all SUTs around a moment, in pages, from the first or where the page before ended. */
  readonly windows: (moment: number, from?: number) => WindowsPage
  /** How many reservations of a user were cancelled and released after a position. */
  readonly endedSince: (userId: string, after: number) => EndedEarly
  /** What of a user's reservations counts for a quota: those that are not over, by position. */
  readonly unfinishedUsage: (query: UnfinishedQuery) => readonly UnfinishedRow[]
  /** Quarters of those that are over and count, by the week of their start. A week may come twice. */
  readonly finishedUsage: (query: FinishedQuery) => readonly (readonly [week: number, quarters: number])[]
  /** What users have reserved in the week of `now`, in their order. */
  readonly used: (userIds: readonly string[], now: number) => readonly Used[]
  /** The users that hold or held a listed reservation of a SUT in a scope, and whether one is such a user. */
  readonly holders: (scope: Scope) => readonly string[]
  readonly isHolder: (scope: Scope, userId: string) => boolean
  /** Rows of a list as CSV. */
  readonly csvRows: (query: CsvQuery) => CsvRows
  /** The same lists as of the past. */
  readonly past: Past
  readonly histories: Histories
  readonly sessionEvents: SessionEvents
}
