import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import type { Route } from '../../protocol/route.ts'
import type { Operation } from './operation.ts'

/** Header fields of requests and responses. */

const POSITION: JsonSchema = { type: 'string', pattern: '^[0-9]{20}$' }
const POSITION_IN_REQUEST: JsonSchema = { type: 'string', pattern: '^[0-9]{1,20}$' }

export const requestHeaders: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: the same key with the same request gives the first answer again, for 24 hours at least. 1 to 255 visible characters, in quotes or not.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]+$' },
  },
  BerthReason: {
    name: 'Berth-Reason',
    in: 'header',
    description:
      'Why, up to 200 characters in percent-encoded UTF-8. It is recorded with the event and stays for ever.',
    schema: { type: 'string', minLength: 1 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the SUT as it was read; the change is refused where it has another by now.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag that is known already: the answer is 304 without a body where it still holds.',
    schema: { type: 'string' },
  },
  BerthAfter: {
    name: 'Berth-After',
    in: 'header',
    description:
      'A Berth-Position that the answer must reflect: the read waits until this instance has come that far, 5 s at most.',
    schema: POSITION_IN_REQUEST,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The place to go on from, as browsers send it when they come back. It goes before after.',
    schema: POSITION_IN_REQUEST,
  },
}

export const answerHeaders: Readonly<Record<string, JsonSchema>> = {
  RequestId: { description: "The request's id, as the log of the service has it.", schema: { type: 'string' } },
  BerthPosition: { description: 'The place in the log that the answer reflects.', schema: POSITION },
  ETag: { description: 'The revision of what is answered.', schema: { type: 'string', pattern: '^"[^"]+"$' } },
  Location: { description: 'Where it is.', schema: { type: 'string', format: 'uri-reference' } },
  RetryAfter: { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } },
  Authenticate: { description: 'The scheme that is asked for.', schema: { type: 'string' } },
}

const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` })

/** The headers of every response of an operation. */
export const headersOf = ({ may }: Route): JsonSchema => ({
  'X-Request-Id': header('RequestId'),
  ...(may !== 'anyone' && { 'Berth-Position': header('BerthPosition') }),
})

export const headersOfSuccess = (route: Route, { isTagged, isCreation }: Operation): JsonSchema => ({
  ...headersOf(route),
  ...(isTagged && { ETag: header('ETag') }),
  ...(isCreation && { Location: header('Location') }),
})

/** The headers of an error response, by status. */
export const headersOfRefusal = (status: number): JsonSchema => ({
  'X-Request-Id': header('RequestId'),
  ...(status !== 401 && status !== 429 && { 'Berth-Position': header('BerthPosition') }),
  ...([409, 429, 503].includes(status) && { 'Retry-After': header('RetryAfter') }),
  ...(status === 401 && { 'WWW-Authenticate': header('Authenticate') }),
})

/** The request headers an operation supports. */
export const requestHeadersOf = (
  { method, may, isConditional, isResumable }: Route,
  { isTagged }: Operation,
): readonly JsonSchema[] => {
  const names = [
    ...(method === 'POST' ? ['IdempotencyKey', 'BerthReason'] : []),
    ...(isConditional ? ['IfMatch'] : []),
    ...(method === 'GET' && isTagged ? ['IfNoneMatch'] : []),
    ...(method === 'GET' && may !== 'anyone' ? ['BerthAfter'] : []),
    ...(isResumable ? ['LastEventId'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}
