/** Lists as CSV: all that match in one response, for spreadsheets. */

import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Session } from '../../../projections/session.ts'
import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { refuse } from '../../domain/failure.ts'
import { spreadsheetField } from '../../domain/values/csv-field.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RouteResponse } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'
import { makeSending, type SendingLimits, type SendingPlace } from './sending.ts'

export const CSV = 'text/csv; charset=utf-8'

const RECORDED = ['_id', 'created_at', 'updated_at'] as const

/** Members of an entry, and of what its members have. */
type Columns<Entry> = readonly (keyof Entry & string)[]

const SUT: Columns<Sut & { readonly [name: `monitoring.${string}`]: string }> = [
  ...RECORDED,
  ...(['name', 'description', 'address', 'port', 'sut_type', 'is_active', 'manufacturer', 'model', 'os'] as const),
  ...(['version', 'monitoring.status', 'monitoring.last_updated', 'monitoring.status_description'] as const),
  // Columns of their own would depend on the rows: the header is sent first.
  'tags',
]

const RESERVATION: Columns<Reservation> = [
  ...RECORDED,
  ...(['start_time', 'end_time', 'user_id', 'sut_id', 'listen_port'] as const),
]

const SESSION: Columns<Session & { readonly user_name: string }> = [
  ...(['_id', 'reservation_id', 'sut_id', 'user_id', 'user_name', 'instance', 'opened_at', 'closed_at'] as const),
  ...(['connections', 'bytes_to_sut', 'bytes_from_sut', 'cause'] as const),
]

const SUT_REQUEST: Columns<SutRequest & { readonly user_name: string }> = [
  ...RECORDED,
  ...(['user_id', 'user_name', 'match', 'sut_id', 'duration', 'expires_at', 'priority', 'keepalive'] as const),
  ...(['status', 'sut_reservation_id'] as const),
]

export const CSV_COLUMNS = { sut: SUT, reservation: RESERVATION, session: SESSION, sut_request: SUT_REQUEST } as const

const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name]

/** A member as a field: what has members of its own as JSON, and what is missing as nothing. */
const fieldOf = (entry: unknown, column: string): string => {
  const member = column.split('.').reduce(memberOf, entry) ?? ''
  return spreadsheetField(typeof member === 'object' ? JSON.stringify(member) : String(member))
}

/** A line with some members of an object. */
export const csvLine = (entry: object, columns: readonly string[]): string =>
  `${columns.map((column) => fieldOf(entry, column)).join(',')}\r\n`

export const csvHead = (columns: readonly string[]): string => `${columns.join(',')}\r\n`

export interface CsvLimits extends SendingLimits {
  /** Rows of a list. */
  readonly rows: number
  /** Rows read and sent together: about a millisecond of the main thread. A list of the longest kind holds about 1 MB. */
  readonly chunk: number
}

const CSV_LIMITS = { rows: 100_000, chunk: 100 }

/** What is sent: entries at positions, as the list shows them as JSON. */
export interface CsvList {
  readonly columns: readonly string[]
  readonly positions: readonly PublicPosition[]
  readonly readEntries: (positions: readonly PublicPosition[]) => Promise<readonly string[]>
}

async function* piecesOf({ columns, positions, readEntries }: CsvList, chunk: number): AsyncGenerator<string> {
  yield csvHead(columns)
  for (let n = 0; n < positions.length; n += chunk) {
    const entries = await readEntries(positions.slice(n, n + chunk))
    yield entries.map((entry) => csvLine(JSON.parse(entry) as object, columns)).join('')
  }
}

export const makeCsvLists = (overrides: Partial<CsvLimits> = {}, sending = makeSending(overrides)) => {
  const { rows, chunk } = { ...CSV_LIMITS, ...overrides }
  return {
    /** What to read in place of a page; one row more than a list may have. */
    part: { limit: rows + 1, offset: 0, asPositions: true } as const,
    respond: (list: CsvList, position: PublicPosition, userId: string): E.Either<Refusal, RouteResponse> =>
      list.positions.length > rows
        ? refuse('list_too_large', `More than ${rows} rows match. Ask for a part, such as a span.`)
        : E.map(({ send }: SendingPlace) => send(() => piecesOf(list, chunk), position))(sending(userId)),
  }
}
export type CsvLists = ReturnType<typeof makeCsvLists>
