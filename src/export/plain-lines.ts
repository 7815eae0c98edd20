import { type Recorded, SCHEMA } from '../domain/event.ts'
import { formatPosition } from '../domain/values/position.ts'
import { schemaUrn, subjectOf } from '../feed/events/cloud-event.ts'
import { type Row, rowOf } from './columns.ts'

/**
 * Writes events that need no JSON escaping, which most are, without building objects. This takes a third of the time.
 * The output equals `JSON.stringify` byte for byte; tests check that.
 */

const textOr = (text: string | null): string => (text === null ? 'null' : `"${text}"`)

const plainRow = (row: Row, data: string): string =>
  `{"position":${row.position},"id":"${row.id}","time":"${row.time}","stream":"${row.stream}","revision":${row.revision},"type":"${row.type}","actor":"${row.actor}","role":"${row.role}","request_id":"${row.request_id}","reason":${textOr(row.reason)},"sut_id":${textOr(row.sut_id)},"reservation_id":${textOr(row.reservation_id)},"user_id":${textOr(row.user_id)},"start_time":${textOr(row.start_time)},"end_time":${textOr(row.end_time)},"listen_port":${row.listen_port},"data":${data}}\n`

/** @param data the event's own data as JSON */
export const plainNdjson = (event: Recorded, position: number, data: string): string =>
  plainRow(rowOf(event, position), data)

/** @param source the name of the log as JSON */
export const plainCloudEvent = (event: Recorded, position: number, data: string, source: string): string => {
  const { id, type, stream, revision, metadata } = event
  const { time, actor, role, request_id, reason, client } = metadata
  const subject = subjectOf(event)
  const about = subject === undefined ? '' : `,"subject":"${subject}"`
  const why = reason === undefined ? '' : `,"reason":"${reason}"`
  const from = client === undefined ? '' : `,"client":"${client}"`
  return `{"specversion":"1.0","id":"${id}","source":${source},"type":"berth.${type}"${about},"time":"${time}","datacontenttype":"application/json","dataschema":"${schemaUrn(type, SCHEMA)}","data":${data},"sequence":"${formatPosition(position)}","stream":"${stream}","revision":${revision},"actor":"${actor}","actorrole":"${role}","requestid":"${request_id}"${why}${from}}\n`
}
