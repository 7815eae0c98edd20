import { type JsonSchema, schemaOf } from '../../../domain/codec/json-schema.ts'
import { recordedTime } from '../../../domain/events/fields.ts'
import { hasRetryKeys, type Operation } from '../../protocol/route.ts'

/** Header fields of requests and responses. */

const POSITION: JsonSchema = { type: 'string', pattern: '^[0-9]{20}$' }
const POSITION_IN_REQUEST: JsonSchema = { type: 'string', pattern: '^[0-9]{1,20}$' }

export const requestHeaders: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: for at least 24 hours, the same key with the same request returns the first response again. 1 to 255 visible ASCII characters, optionally in quotes.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]+$' },
  },
  BerthReason: {
    name: 'Berth-Reason',
    in: 'header',
    description:
      'The reason for the change: up to 200 characters in percent-encoded UTF-8. It is recorded permanently with the event.',
    schema: { type: 'string', minLength: 1 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the SUT when it was read. The change is refused if the SUT has changed since, except by what probes found.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'A known ETag. If it is still current, the response is 304 without a body.',
    schema: { type: 'string' },
  },
  BerthAfter: {
    name: 'Berth-After',
    in: 'header',
    description:
      'A Berth-Position that the response must reflect. The read waits up to 5 s for this instance to reach it.',
    schema: POSITION_IN_REQUEST,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The position to continue after, sent by browsers on reconnection. It takes precedence over after.',
    schema: POSITION_IN_REQUEST,
  },
}

export const answerHeaders: Readonly<Record<string, JsonSchema>> = {
  RequestId: { description: 'The request id, as in the log of the service.', schema: { type: 'string' } },
  BerthPosition: { description: 'The position in the log that the response reflects.', schema: POSITION },
  ETag: {
    description:
      'The revision of the returned object. Once probes have found a change of it, their number follows after a dot, and the coding of a compressed response after a hyphen. Of a part of a user, and of a user as one with a scope reads it, a digest.',
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  Location: { description: 'The address of the created object.', schema: { type: 'string', format: 'uri-reference' } },
  KeepaliveUntil: {
    description:
      'When the reservation is released, or the request passed over, unless it is kept alive. Absent if it need not be.',
    schema: schemaOf(recordedTime),
  },
  RetryAfter: { description: 'Seconds to wait before retrying.', schema: { type: 'integer', minimum: 1 } },
  Authenticate: {
    description: 'The required authentication scheme: `Basic`, or `Bearer` for browsers and holders of tokens.',
    schema: { type: 'string' },
  },
}

const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` })

/** The headers of every response of an operation. */
export const headersOf = ({ roles }: Operation): JsonSchema => ({
  'X-Request-Id': header('RequestId'),
  ...(roles !== 'anyone' && { 'Berth-Position': header('BerthPosition') }),
})

export const headersOfSuccess = (operation: Operation): JsonSchema => ({
  ...headersOf(operation),
  ...(operation.isKept && { 'Keepalive-Until': header('KeepaliveUntil') }),
  ...(operation.isTagged && { ETag: header('ETag') }),
  ...(operation.isCreation && { Location: header('Location') }),
})

/** The headers of an error response, by status. */
export const headersOfRefusal = (status: number): JsonSchema => ({
  'X-Request-Id': header('RequestId'),
  ...(status !== 401 && status !== 429 && { 'Berth-Position': header('BerthPosition') }),
  ...([409, 429, 503].includes(status) && { 'Retry-After': header('RetryAfter') }),
  ...(status === 401 && { 'WWW-Authenticate': header('Authenticate') }),
})

/** The request headers an operation supports. */
export const requestHeadersOf = (operation: Operation): readonly JsonSchema[] => {
  const { method, roles, isConditional, isResumable, isTagged } = operation
  const names = [
    ...(hasRetryKeys(operation) ? ['IdempotencyKey'] : []),
    ...(method === 'POST' ? ['BerthReason'] : []),
    ...(isConditional ? ['IfMatch'] : []),
    ...(method === 'GET' && isTagged ? ['IfNoneMatch'] : []),
    ...(method === 'GET' && roles !== 'anyone' ? ['BerthAfter'] : []),
    ...(isResumable ? ['LastEventId'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}
