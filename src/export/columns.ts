import type { Recorded } from '../domain/event.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { isAboutUser, sutIdOf, userOf } from '../feed/events/cloud-event.ts'

/** An exported event, by column name. Columns are published: none changes its meaning. */
export interface ExportRow {
  readonly position: PublicPosition
  readonly id: string
  readonly time: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly actor: string
  readonly role: string
  readonly request_id: string
  readonly reason: string | null
  readonly sut_id: string | null
  readonly reservation_id: string | null
  readonly user_id: string | null
  readonly start_time: string | null
  readonly end_time: string | null
  readonly listen_port: number | null
  readonly data: unknown
}

export const COLUMNS = [
  'position',
  'id',
  'time',
  'stream',
  'revision',
  'type',
  'actor',
  'role',
  'request_id',
  'reason',
  'sut_id',
  'reservation_id',
  'user_id',
  'start_time',
  'end_time',
  'listen_port',
  'data',
] as const satisfies readonly (keyof ExportRow)[]

/** Members that only some events' data have. */
type Sometimes = Partial<
  Record<'_id' | 'reservation_id' | 'user_id' | 'start_time' | 'end_time', string> & Record<'listen_port', number>
>

export const rowOf = (event: Recorded, position: PublicPosition): ExportRow => {
  const { id, stream, revision, type, metadata } = event
  const data = event.data as Sometimes
  const isOfReservation = data.user_id !== undefined && !isAboutUser(type)
  return {
    position,
    id,
    time: metadata.time,
    stream,
    revision,
    type,
    actor: metadata.actor,
    role: metadata.role,
    request_id: metadata.request_id,
    reason: metadata.reason ?? null,
    sut_id: sutIdOf(event) ?? null,
    reservation_id: data.reservation_id ?? (isOfReservation ? (data._id as string) : null),
    user_id: userOf(event) ?? null,
    start_time: data.start_time ?? null,
    end_time: data.end_time ?? null,
    listen_port: data.listen_port ?? null,
    data,
  }
}
