import { type JsonSchema, schemaOf } from '../../../domain/codec/json-schema.ts'
import { recordedTime } from '../../../domain/events/fields.ts'
import type { Route } from '../../protocol/route.ts'

/** Header fields of responses. */

const string: JsonSchema = { type: 'string' }
const POSITION: JsonSchema = { type: 'string', pattern: '^[0-9]{20}$' }

const inAnswer = (schema: JsonSchema, description: string): JsonSchema => ({ description, schema })

export const answerHeaders: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': inAnswer(string, 'The request id, as in the log of the service.'),
  'Berth-Position': inAnswer(POSITION, 'The position in the log that the response reflects.'),
  ETag: inAnswer(
    { type: 'string', pattern: '^"[^"]+"$' },
    'The revision of the returned object. Once probes have found a change of it, their number follows after a dot, and the coding of a compressed response after a hyphen. Of a part of a user, and of a user as one with a scope reads it, a digest.',
  ),
  Location: inAnswer({ type: 'string', format: 'uri-reference' }, 'The address of the created object.'),
  'Keepalive-Until': inAnswer(
    schemaOf(recordedTime),
    'When the reservation is released, or the request passed over, unless it is kept alive. Absent if it need not be.',
  ),
  'Retry-After': inAnswer({ type: 'integer', minimum: 1 }, 'Seconds to wait before retrying.'),
  'WWW-Authenticate': inAnswer(
    string,
    'The required authentication scheme: `Basic`, or `Bearer` for browsers and holders of tokens.',
  ),
}

/** References to those of these headers that a response has. */
const headers = (has: Readonly<Record<string, boolean | undefined>>): JsonSchema =>
  Object.fromEntries(
    Object.keys(has).flatMap((name) => (has[name] ? [[name, { $ref: `#/components/headers/${name}` }]] : [])),
  )

export const headersOfSuccess = ({ roles, isKept, isTagged, isCreation }: Route): JsonSchema =>
  headers({
    ...{ 'X-Request-Id': true, 'Berth-Position': roles !== 'anyone' },
    ...{ 'Keepalive-Until': isKept, ETag: isTagged, Location: isCreation },
  })

/** The headers of an error response, by status. */
export const headersOfRefusal = (status: number): JsonSchema =>
  headers({
    ...{ 'X-Request-Id': true, 'Berth-Position': status !== 401 && status !== 429 },
    ...{ 'Retry-After': [409, 429, 503].includes(status), 'WWW-Authenticate': status === 401 },
  })
