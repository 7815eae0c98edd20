import type { Reservation } from '../../../projections/reservation.ts'
import type { Session } from '../../../projections/session.ts'
import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { spreadsheetField } from '../../domain/values/csv-field.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { type DetailedRow, type Details, reservationColumns, reservationStateOf } from './reservations.ts'
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

type Column<D> = readonly [name: string, value: (document: D, details: Details) => Value]

/** Columns of members that are in a document as they are, `all` of them in order. */
const members = <D extends Readonly<Record<K, Value>>, K extends keyof D & string>(
  all: Readonly<Record<K, true>>,
): readonly Column<D>[] => (Object.keys(all) as K[]).map((name) => [name, (document) => document[name]])

const RESERVATION = members<Reservation, keyof Reservation>({
  _id: true,
  created_at: true,
  updated_at: true,
  start_time: true,
  end_time: true,
  user_id: true,
  sut_id: true,
  listen_port: true,
})

const NAMES: readonly Column<Reservation>[] = [
  ['user_name', ({ user_id }) => ({ nameOf: user_id })],
  ['sut_name', (_, { sutName }) => sutName],
]

const states = (now: number): readonly Column<Reservation>[] => [
  ['state', (_, details) => reservationStateOf(details, now)],
  ['planned_end_time', ({ end_time }, { plannedEnd }) => plannedEnd ?? end_time],
]

const SERIES_OF: readonly Column<Reservation>[] = [['series_id', (_, { seriesId }) => seriesId]]

const SUT: readonly Column<Sut>[] = [
  ...members<Sut, Exclude<keyof Sut, 'monitoring' | 'tags'>>({
    _id: true,
    created_at: true,
    updated_at: true,
    name: true,
    description: true,
    address: true,
    port: true,
    sut_type: true,
    is_active: true,
    manufacturer: true,
    model: true,
    os: true,
    version: true,
  }),
  ['monitoring.status', ({ monitoring }) => monitoring.status],
  ['monitoring.last_updated', ({ monitoring }) => monitoring.last_updated],
  ['monitoring.status_description', ({ monitoring }) => monitoring.status_description],
  // Columns of their own would depend on the rows: the header is sent first.
  ['tags', ({ tags }) => JSON.stringify(tags)],
]

const SESSION: readonly Column<Session>[] = [
  ...members<Session, '_id' | 'reservation_id' | 'sut_id' | 'user_id'>({
    _id: true,
    reservation_id: true,
    sut_id: true,
    user_id: true,
  }),
  ['user_name', ({ user_id }) => ({ nameOf: user_id })],
  ...members<Session, Exclude<keyof Session, '_id' | 'reservation_id' | 'sut_id' | 'user_id'>>({
    instance: true,
    opened_at: true,
    closed_at: true,
    connections: true,
    bytes_to_sut: true,
    bytes_from_sut: true,
    cause: true,
  }),
]

const SUT_REQUEST: readonly Column<SutRequest>[] = [
  ...members<SutRequest, '_id' | 'created_at' | 'updated_at' | 'user_id'>({
    _id: true,
    created_at: true,
    updated_at: true,
    user_id: true,
  }),
  ['user_name', ({ user_id }) => ({ nameOf: user_id })],
  ['match', ({ match }) => (match === undefined ? null : JSON.stringify(match))],
  ['sut_id', ({ sut_id }) => sut_id ?? null],
  ...members<SutRequest, 'duration' | 'expires_at' | 'priority' | 'keepalive' | 'status' | 'sut_reservation_id'>({
    duration: true,
    expires_at: true,
    priority: true,
    keepalive: true,
    status: true,
    sut_reservation_id: true,
  }),
]

/** The columns of a list. Their documents are those of the list. */
const columnsOfList = (list: CsvList): readonly Column<never>[] => {
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
    const detailed = list.of === 'reservation' && list.include.size > 0
    const selected = reservationColumns(detailed ? { withDetails: true, visibility: list.visibility } : {})
    const text = makeText()
    for (const position of positions) {
      const sql = `SELECT ${selected.sql} FROM ${list.of} d WHERE d.position = ?`
      const [row] = ask<DetailedRow>(sql, ...selected.values, position)
      if (row === undefined) throw new Error(`there is no ${list.of} at position ${position}`)
      const document = JSON.parse(row.document) as never
      columns.forEach(([, read], n) => {
        if (n > 0) text.addPlain(',')
        text.add(read(document, row))
      })
      text.addPlain('\r\n')
    }
    return text.end()
  }
