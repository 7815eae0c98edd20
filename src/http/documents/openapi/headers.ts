import { type JsonSchema, schemaOf } from '../../../domain/codec/json-schema.ts'
import { recordedTime } from '../../../domain/events/fields.ts'
import { hasRetryKeys, type Route } from '../../protocol/route.ts'

/** Header fields of requests and responses. */

const string: JsonSchema = { type: 'string' }
const POSITION: JsonSchema = { type: 'string', pattern: '^[0-9]{20}$' }
const POSITION_IN_REQUEST: JsonSchema = { type: 'string', pattern: '^[0-9]{1,20}$' }

const inRequest = (name: string, schema: JsonSchema, description: string): JsonSchema => ({
  ...{ name, in: 'header', description, schema },
})

export const requestHeaders: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: inRequest(
    'Idempotency-Key',
    { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]+$' },
    'Makes retries safe: for at least 24 hours, the same key with the same request returns the first response again. 1 to 255 visible ASCII characters, optionally in quotes.',
  ),
  BerthReason: inRequest(
    'Berth-Reason',
    { type: 'string', minLength: 1 },
    'The reason for the change: up to 200 characters in percent-encoded UTF-8. It is recorded permanently with the event.',
  ),
  IfMatch: inRequest(
    'If-Match',
    string,
    'The ETag of the SUT when it was read. The change is refused if the SUT has changed since, except by what probes found.',
  ),
  IfNoneMatch: inRequest(
    'If-None-Match',
    string,
    'A known ETag. If it is still current, the response is 304 without a body.',
  ),
  BerthAfter: inRequest(
    'Berth-After',
    POSITION_IN_REQUEST,
    'A Berth-Position that the response must reflect. The read waits up to 5 s for this instance to reach it.',
  ),
  LastEventId: inRequest(
    'Last-Event-ID',
    POSITION_IN_REQUEST,
    'The position to continue after, sent by browsers on reconnection. It takes precedence over after.',
  ),
}

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

/** The request headers an operation supports. */
export const requestHeadersOf = (operation: Route): readonly JsonSchema[] => {
  const { method, roles, isConditional, isResumable, isTagged } = operation
  const has: Readonly<Record<string, boolean | undefined>> = {
    ...{ IdempotencyKey: hasRetryKeys(operation), BerthReason: method === 'POST', IfMatch: isConditional },
    IfNoneMatch: method === 'GET' && isTagged,
    ...{ BerthAfter: method === 'GET' && roles !== 'anyone', LastEventId: isResumable },
  }
  return Object.keys(has).flatMap((name) => (has[name] ? [{ $ref: `#/components/parameters/${name}` }] : []))
}
