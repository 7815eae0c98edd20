import { type Event, type EventType, type Recorded, schemaVersion, subjectOfEvent } from '../../domain/event.ts'
import { formatPosition, type PublicPosition } from '../../domain/values/position.ts'

/**
 * The URN of the JSON Schema of an event's data. It is absolute, as CloudEvents require, and independent of the
 * service's address.
 */
export const schemaUrn = (type: EventType, version: number): string => `urn:berth:schema:${type}:${version}`

export const schemaPath = (type: EventType, version: number): string => `/schemas/${type}.${version}.json`

/** Sorts members as the log stores them; a newly made event may have them in another order. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort()) members[name] = sorted((value as Record<string, unknown>)[name])
  return members
}

/**
 * An event as clients receive it: a CloudEvent 1.0 in JSON format with Berth's extensions. The same event at the same
 * position always gives the same bytes, on every instance. `origin` is the name of the log. Old events are upgraded when
 * read, so the schema is always that of the newest shape.
 */
export const cloudEvent = (event: Recorded, position: PublicPosition, origin: string) => {
  const { id, type, metadata, stream, revision } = event
  const subject = subjectOfEvent(event)
  return {
    specversion: '1.0',
    id,
    source: origin,
    type: `berth.${type}`,
    // The SUT that the event, its reservation or its port belongs to, or the user.
    ...(subject !== undefined && { subject }),
    time: metadata.time,
    datacontenttype: 'application/json',
    dataschema: schemaUrn(type, schemaVersion(type)),
    data: sorted(event.data) as Event['data'],
    sequence: formatPosition(position),
    stream,
    revision,
    actor: metadata.actor,
    actorrole: metadata.role,
    requestid: metadata.request_id,
    ...(metadata.reason !== undefined && { reason: metadata.reason }),
    ...(metadata.client !== undefined && { client: metadata.client }),
  }
}
