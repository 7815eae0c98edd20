/** The flat tables that a log is exported as. Columns are published: none changes its meaning. */

import type { CountedRefusals } from '../../../projections/refusals.ts'
import type { Reservation, ReservationInternal } from '../../../projections/reservation.ts'
import type { Session } from '../../../projections/session.ts'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'

/** How a column is stored. A timestamp is in UTC, in milliseconds. */
export type ColumnType = 'STRING' | 'JSON' | 'TIMESTAMP' | 'INT32' | 'INT64' | 'BOOLEAN'
type Row = Readonly<Record<string, unknown>>

/** An object as of the end of the export. */
export interface FoldedObject<D = object, I = object> {
  readonly document: D
  readonly internal: I
  readonly ended: string | null
  /** When that happened. */
  readonly ended_at: string | null
}

export interface Outage {
  readonly sut_id: string
  readonly cause: string
  readonly began_at: string
  /** Absent while it lasts. */
  readonly ended_at?: string
}

interface Table {
  /** In their order, each after its type. */
  readonly columns: readonly (readonly [type: ColumnType, ...names: readonly string[]])[]
  /** A method: a list has tables of different objects, and each is only given its own. Times are as in events. */
  rowsOf(folded: object): readonly Row[]
}

/** The column `id` is the `_id` of documents. */
const declareTable = <F extends object>(
  columns: Table['columns'],
  rowsOf: (folded: F) => Row | readonly Row[],
): Table => ({ columns, rowsOf: (folded) => [rowsOf(folded as F)].flat() })

/** Names of people, which no event has. */
export const USER_NAME = 'user_name'
const OF_USER = ['user_id', USER_NAME] as const

/** By the names of their files. */
export const TABLES = {
  reservations: declareTable<FoldedObject<Reservation, ReservationInternal>>(
    [
      ['STRING', 'id', 'sut_id', ...OF_USER, 'series_id'],
      ['TIMESTAMP', 'created_at', 'updated_at', 'start_time', 'end_time', 'planned_end_time', 'held_from', 'held_to'],
      ['STRING', 'ended'],
      ['INT32', 'listen_port'],
    ],
    ({ document, internal: { planned_end, series_id }, ended }) => {
      const { start_time, created_at, end_time } = document
      const held_from = Date.parse(start_time) < Date.parse(created_at) ? created_at : start_time
      const held = ended === 'cancelled' ? {} : { held_from, held_to: end_time }
      return { ...document, ...held, ended, series_id, planned_end_time: planned_end ?? end_time }
    },
  ),
  sessions: declareTable<FoldedObject<Session>>(
    [
      ['STRING', 'id', 'reservation_id', 'sut_id', ...OF_USER, 'instance'],
      ['TIMESTAMP', 'opened_at', 'closed_at'],
      ['STRING', 'cause'],
      ['INT64', 'connections', 'bytes_to_sut', 'bytes_from_sut'],
    ],
    ({ document }) => ({ ...document }),
  ),
  requests: declareTable<FoldedObject<SutRequest>>(
    [
      ['STRING', 'id', ...OF_USER, 'sut_id'],
      ['JSON', 'match'],
      ['INT32', 'duration_seconds', 'keepalive_seconds', 'priority'],
      ['TIMESTAMP', 'created_at', 'expires_at', 'finished_at'],
      ['STRING', 'status', 'cause', 'reservation_id'],
    ],
    ({ document: { duration, keepalive, sut_reservation_id: reservation_id, ...request } }) => {
      const finished_at = request.status === 'waiting' ? null : request.updated_at
      return { ...request, duration_seconds: duration, keepalive_seconds: keepalive, reservation_id, finished_at }
    },
  ),
  machines: declareTable<FoldedObject<Sut, SutInternal>>(
    [
      ['STRING', 'id', 'name', 'description', 'address'],
      ['INT32', 'port'],
      ['STRING', 'sut_type', 'manufacturer', 'model', 'os', 'version'],
      ['JSON', 'tags'],
      ['BOOLEAN', 'is_active'],
      ['STRING', 'monitoring'],
      ['INT32', 'turnaround_seconds'],
      ['TIMESTAMP', 'created_at', 'updated_at', 'retired_at'],
    ],
    ({ document, internal: { settings, status: monitoring }, ended_at: retired_at }) => ({
      ...{ ...document, monitoring, turnaround_seconds: settings.turnaround ?? 0, retired_at },
    }),
  ),
  outages: declareTable<Outage>(
    [
      ['STRING', 'sut_id', 'cause'],
      ['TIMESTAMP', 'began_at', 'ended_at'],
    ],
    (outage) => ({ ...outage }),
  ),
  refusals: declareTable<FoldedObject<CountedRefusals>>(
    [
      ['TIMESTAMP', 'counted_from', 'counted_to'],
      ['STRING', 'code', ...OF_USER, 'sut_id'],
      ['JSON', 'match'],
      ['INT64', 'count'],
    ],
    ({ document: { from: counted_from, to: counted_to, refusals, others } }) =>
      // Without a code those beyond the ones that it lists.
      [...refusals, ...(others === undefined ? [] : [{ count: others }])].map((refusal) => ({
        counted_from,
        counted_to,
        ...refusal,
      })),
  ),
} as const

export type TableName = keyof typeof TABLES

/** A value as the writer of Parquet takes it. */
export const cellOf = (type: ColumnType, value: unknown): unknown => {
  if (value === undefined || value === null) return null
  if (type === 'TIMESTAMP') return new Date(String(value))
  return type === 'INT64' ? BigInt(value as number) : value
}
