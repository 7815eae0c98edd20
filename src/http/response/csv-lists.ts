import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Session } from '../../../projections/session.ts'
import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { makeTurns } from '../../concurrency/turns.ts'
import { failure } from '../../domain/failure.ts'
import { spreadsheetField } from '../../domain/values/csv-field.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RouteResponse } from '../protocol/call.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'

/** Lists as CSV: all that match in one response, for spreadsheets. */

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

/** The columns of the lists that there are as CSV. */
export const CSV_COLUMNS = { sut: SUT, reservation: RESERVATION, session: SESSION, sut_request: SUT_REQUEST } as const

const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name]

/** A member as a field: what has members of its own as JSON, and what is missing as nothing. */
const fieldOf = (entry: unknown, column: string): string => {
  const member = column.split('.').reduce(memberOf, entry) ?? ''
  return spreadsheetField(typeof member === 'object' ? JSON.stringify(member) : String(member))
}

const rowOf = (entry: string, columns: readonly string[]): string => {
  const members: unknown = JSON.parse(entry)
  return `${columns.map((column) => fieldOf(members, column)).join(',')}\r\n`
}

export interface CsvLimits {
  /** Rows of a list. */
  readonly rows: number
  /** Rows read and sent together: about a millisecond of the main thread. */
  readonly chunk: number
  /** Lists being sent, in all and to one user. A list of the longest kind holds about 1 MB. */
  readonly total: number
  readonly perUser: number
  /** Milliseconds for a client to take a list. */
  readonly timeout: number
}

const CSV_LIMITS: CsvLimits = { rows: 100_000, chunk: 100, total: 16, perUser: 4, timeout: 300_000 }

/** What is sent: entries at positions, as the list shows them as JSON. */
export interface CsvList {
  readonly columns: readonly string[]
  readonly positions: readonly PublicPosition[]
  readonly readEntries: (positions: readonly PublicPosition[]) => Promise<readonly string[]>
}

/** Whether a response has ended because its client left or took too long. */
const isOfClient = (error: unknown): boolean => {
  const { code, name } = error as Error & { code?: string }
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_UNABLE_TO_PIPE' || name === 'AbortError'
}

const send = async (
  { columns, positions, readEntries }: CsvList,
  { chunk, timeout }: CsvLimits,
  response: ServerResponse,
): Promise<void> => {
  async function* rows(): AsyncGenerator<string> {
    yield `${columns.join(',')}\r\n`
    for (let n = 0; n < positions.length; n += chunk) {
      const entries = await readEntries(positions.slice(n, n + chunk))
      yield entries.map((entry) => rowOf(entry, columns)).join('')
    }
  }
  try {
    await pipeline(Readable.from(rows()), response, { signal: AbortSignal.timeout(timeout) })
  } catch (error) {
    // The connection is closed, so that the client can see that the list is incomplete.
    response.destroy()
    if (!isOfClient(error)) throw error
  }
}

export const makeCsvLists = (overrides: Partial<CsvLimits> = {}) => {
  const limits = { ...CSV_LIMITS, ...overrides }
  const [all, own] = [makeTurns({ limit: limits.total }), makeTurns({ limit: limits.perUser })]
  return {
    /** What to read in place of a page; one row more than a list may have. */
    part: { limit: limits.rows + 1, offset: 0, asPositions: true } as const,
    respond: (list: CsvList, position: PublicPosition, userId: string): E.Either<Refusal, RouteResponse> => {
      if (list.positions.length > limits.rows) {
        return E.left(failure('list_too_large', `More than ${limits.rows} rows match. Ask for a part, such as a span.`))
      }
      if (!all.isFree('') || !own.isFree(userId)) {
        return E.left(refusal('unavailable', 'Too many lists are being sent as CSV. Try again.'))
      }
      all.acquire('')
      own.acquire(userId)
      // Called once: after the list, or in place of it.
      const leave = (): void => {
        all.release('')
        own.release(userId)
      }
      const run = (response: ServerResponse) => send(list, limits, response).finally(leave)
      return E.right({ status: 200, body: { run, leave }, position })
    },
  }
}
export type CsvLists = ReturnType<typeof makeCsvLists>
