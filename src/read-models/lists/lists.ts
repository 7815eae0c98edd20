import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Window } from '../../domain/calendar/window.ts'
import type { Moment } from '../tables/time-index.ts'
import type { Version } from '../tables/version.ts'
import type { Histories } from './histories.ts'

/** Which part of a list is asked for. */
export interface Part {
  readonly limit: number
  readonly offset: number
  /** Only what was created before the document whose first version has this position. */
  readonly createdBefore?: number | undefined
}

export interface ReservationQuery extends Part {
  readonly sut_id?: string | undefined
  readonly user_id?: string | undefined
  /** Unix seconds: only what ends later. */
  readonly endsAfter?: number | undefined
  /** Unix seconds: only what starts earlier. */
  readonly startsBefore?: number | undefined
  /** Without what was given back early, which holds its SUT no longer. */
  readonly isHeld?: boolean
}

export interface SutQuery extends Part {
  readonly sut_type?: string | undefined
  readonly is_active?: boolean | undefined
  /** A part of the name, in whatever case. */
  readonly name?: string | undefined
  readonly tags?: Readonly<Record<string, string>>
}

/** Documents as JSON texts, newest created first. */
export interface Page {
  readonly documents: readonly string[]
  /** How many there are of which these are a part, whatever part of the list was asked for. */
  readonly count: number
}

/** Answers as of a moment of the past. What was then never changes again, so that it can be read piece by piece. */
export interface Past {
  /** The moment at a time (Unix milliseconds), of what has been recorded up to the position `last`. */
  readonly momentAt: (time: number, last: number) => Moment
  readonly version: (kind: 'sut' | 'reservation', id: string, moment: Moment) => Version | undefined
  /** The pieces in which reservations are read, the newest first. */
  readonly segments: (moment: Moment) => readonly number[]
  /** The part of a list in one piece; `count` is all that match there, whatever part was asked for. */
  readonly reservations: (query: ReservationQuery, moment: Moment, segment: number) => Page
  readonly suts: (query: SutQuery, moment: Moment) => Page
}

/** Answers lists from the rows of documents. */
export interface Lists {
  /** Whether one of these is read within some milliseconds. */
  readonly isShort: {
    readonly reservations: (query: ReservationQuery) => boolean
    readonly suts: (query: SutQuery) => boolean
    readonly held: (sutId: string, span: Window) => boolean
  }
  readonly reservations: (query: ReservationQuery) => Page
  readonly suts: (query: SutQuery) => Page
  /** The windows, by start, in which a SUT is held within a span. */
  readonly held: (sutId: string, span: Window) => readonly Window[]
  /** The same as it was. */
  readonly past: Past
  readonly histories: Histories
}

/** A condition in SQL and the values for its question marks. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export const condition = (sql: string, ...values: readonly SQLInputValue[]): Condition => ({ sql, values })

/** Statements kept prepared: each combination of filters has its own. */
const STATEMENTS_MAX = 200

/** Runs statements whose text depends on what is asked. */
export const makeRunQuery = (db: DatabaseSync) => {
  const statements = new LRUCache<string, StatementSync>({ max: STATEMENTS_MAX })
  return <A>(sql: string, ...values: readonly SQLInputValue[]): readonly A[] => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      statements.set(sql, statement)
    }
    return statement.all(...values) as unknown as A[]
  }
}
export type RunQuery = ReturnType<typeof makeRunQuery>
