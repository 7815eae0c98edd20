import type { Reservation } from '../../../projections/reservation.ts'
import type { Session } from '../../../projections/session.ts'
import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { spreadsheetField } from '../../domain/values/csv-field.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { condition } from './page.ts'
import { type Details, reservationDetails, reservationStateOf } from './reservations.ts'
import type { Visibility } from './scope.ts'

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

/** The value of a field. Names of users are not in the views. */
type Value = string | number | boolean | null | { readonly nameOf: string }

type Column = readonly [name: string, value: (document: Members, details: Details) => Value]

type Members = Readonly<Record<string, unknown>>

/** A member as a field: what has members of its own as JSON, and what is missing as nothing. */
const fieldOf = (member: unknown): Value =>
  typeof member === 'object' && member !== null ? JSON.stringify(member) : ((member ?? null) as Value)

/** Columns of members that are in a document. */
const members = <D extends object>(...names: readonly (keyof D & string)[]): readonly Column[] =>
  names.map((name) => [name, (document) => fieldOf(document[name])])

const RECORDED = ['_id', 'created_at', 'updated_at'] as const

const USER_NAME: Column = ['user_name', ({ user_id }) => ({ nameOf: String(user_id) })]

const RESERVATION = members<Reservation>(
  ...RECORDED,
  ...(['start_time', 'end_time', 'user_id', 'sut_id', 'listen_port'] as const),
)

const NAMES: readonly Column[] = [USER_NAME, ['sut_name', (_, { sutName }) => sutName]]

const states = (now: number): readonly Column[] => [
  ['state', (_, details) => reservationStateOf(details, now)],
  ['planned_end_time', ({ end_time }, { plannedEnd }) => plannedEnd ?? fieldOf(end_time)],
]

const SERIES_OF: readonly Column[] = [['series_id', (_, { seriesId }) => seriesId]]

const MONITORING = ['status', 'last_updated', 'status_description'] as const

const SUT: readonly Column[] = [
  ...members<Sut>(
    ...RECORDED,
    ...(['name', 'description', 'address', 'port', 'sut_type', 'is_active'] as const),
    ...(['manufacturer', 'model', 'os', 'version'] as const),
  ),
  ...MONITORING.map(
    (name): Column => [`monitoring.${name}`, ({ monitoring }) => fieldOf((monitoring as Members)[name])],
  ),
  // Columns of their own would depend on the rows: the header is sent first.
  ...members<Sut>('tags'),
]

const SESSION: readonly Column[] = [
  ...members<Session>('_id', 'reservation_id', 'sut_id', 'user_id'),
  USER_NAME,
  ...members<Session>('instance', 'opened_at', 'closed_at', 'connections', 'bytes_to_sut', 'bytes_from_sut', 'cause'),
]

const SUT_REQUEST: readonly Column[] = [
  ...members<SutRequest>(...RECORDED, 'user_id'),
  USER_NAME,
  ...members<SutRequest>('match', 'sut_id', 'duration', 'expires_at', 'priority', 'keepalive', 'status'),
  ...members<SutRequest>('sut_reservation_id'),
]

const columnsOfList = (list: CsvList): readonly Column[] => {
  switch (list.of) {
    case 'sut':
      return SUT
    case 'session':
      return SESSION
    case 'sut_request':
      return SUT_REQUEST
    case 'reservation':
      return [
        ...RESERVATION,
        ...(list.include.has('names') ? NAMES : []),
        ...(list.include.has('state') ? states(list.now) : []),
        ...(list.include.has('series') ? SERIES_OF : []),
      ]
  }
}

export const csvHeader = (list: CsvList): string =>
  `${columnsOfList(list)
    .map(([name]) => name)
    .join(',')}\r\n`

/** Joins values into text, and begins a new one at each name. */
const makeText = () => {
  const texts: string[] = []
  const userIds: string[] = []
  let text = ''
  return {
    add: (value: Value): void => {
      if (value === null) return
      if (typeof value !== 'object') text += spreadsheetField(String(value))
      else {
        texts.push(text)
        userIds.push(value.nameOf)
        text = ''
      }
    },
    addPlain: (plain: string): void => {
      text += plain
    },
    end: (): CsvRows => ({ texts: [...texts, text], userIds }),
  }
}

export const makeCsvRows =
  (ask: RunQuery) =>
  ({ list, positions }: CsvQuery): CsvRows => {
    const columns = columnsOfList(list)
    const isDetailed = list.of === 'reservation' && list.include.size > 0
    const details = isDetailed ? reservationDetails(list.visibility) : condition('NULL')
    const text = makeText()
    for (const position of positions) {
      const sql = `SELECT d.document, ${details.sql} FROM ${list.of} d WHERE d.position = ?`
      const [row] = ask<Details & { readonly document: string }>(sql, ...details.values, position)
      if (row === undefined) throw new Error(`there is no ${list.of} at position ${position}`)
      const document = JSON.parse(row.document) as Members
      columns.forEach(([, read], n) => {
        if (n > 0) text.addPlain(',')
        text.add(read(document, row))
      })
      text.addPlain('\r\n')
    }
    return text.end()
  }
