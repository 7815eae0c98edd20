/** Header fields of requests. */

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { described, parsed } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { Reason } from '../../domain/event.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { decodePercent } from '../../domain/values/text.ts'
import type { RequestHeaders } from '../protocol/call.ts'
import { hasRetryKeys, type Route } from '../protocol/route.ts'
import { positionParameter } from './lists.ts'
import { detailOf } from './query.ts'

const VISIBLE = /^[\x21-\x7e]{1,255}$/
/** A string of RFC 8941. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const KEY_RULE = 'must be 1 to 255 visible ASCII characters, quoted or not'

/** Quoted and bare forms are the same key. */
const retryKey = parsed(
  'retry key',
  (text) => {
    const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, '$1')
    const key = quoted ?? (text.startsWith('"') ? '' : text)
    return VISIBLE.test(key) ? E.right(key) : E.left(KEY_RULE)
  },
  KEY_RULE,
  () => ({ type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]+$' }),
)

/** Bytes beyond ASCII arrive without any known character encoding. */
const ASCII = /^[\x20-\x7e]*$/
const ENCODING_RULE = 'must be percent-encoded UTF-8, with % written as %25'

const reason = parsed(
  'reason',
  (text) => {
    const decoded = ASCII.test(text) ? decodePercent(text) : undefined
    if (Reason.is(decoded)) return E.right(decoded)
    return E.left(decoded === undefined ? ENCODING_RULE : 'must be 1 to 200 characters, without control characters')
  },
  ENCODING_RULE,
  () => ({ type: 'string', minLength: 1 }),
)

/** A list of entity tags, with empty elements. Tags may contain commas. */
const LIST = /^(?:[ \t,]*(?:W\/)?"[\x21\x23-\x7e\u0080-\u00ff]*"[ \t]*(?:,|$))+[ \t,]*$/
const TAG = /(?:W\/)?"[^"]*"/g
/** The record's revision, the number of changes that probes found unless there are none, and the coding. */
const SUT_TAG = /^"(0|[1-9]\d{0,15})(?:\.[1-9]\d{0,15})?(?:-(?:gzip|zstd))?"$/
/** Entity tags read from a list. */
const TAGS_MAX = 100
const TAGS_RULE = `must be * or a list of at most ${TAGS_MAX} quoted entity tags, as in ETag`

/**
 * The revisions that If-Match allows (RFC 9110, section 13); undefined for any. A SUT's entity tag begins with the
 * revision of its record. If-Match compares only that: neither what probes found since nor the coding of the response
 * makes a write stale. Weak and foreign tags match nothing.
 */
const revisions = parsed<readonly number[] | undefined>(
  'If-Match',
  (text) => {
    if (text.trim() === '*') return E.right(undefined)
    const tags = LIST.test(text) ? (text.match(TAG) ?? []) : []
    if (tags.length === 0 || tags.length > TAGS_MAX) return E.left(TAGS_RULE)
    return E.right(tags.flatMap((tag) => SUT_TAG.exec(tag)?.[1] ?? []).map(Number))
  },
  TAGS_RULE,
  () => ({ type: 'string' }),
)

/** A client without any event may send an empty value. */
const lastEventId = parsed<PublicPosition | undefined>(
  'Last-Event-ID',
  (text) => (text === '' ? E.right(undefined) : E.mapLeft(detailOf)(positionParameter.decode(text))),
  '',
  () => schemaOf(positionParameter),
)

/** A field that some requests may have. */
export interface RequestHeader<A> {
  readonly name: string
  /** Whether requests of a route may have it. Others ignore it. */
  readonly isOf: (route: Route) => boolean | undefined
  readonly codec: t.Decoder<unknown, A>
}

/** By what handlers call them. */
export const requestHeaders: { readonly [Name in keyof RequestHeaders]-?: RequestHeader<RequestHeaders[Name]> } = {
  retryKey: {
    name: 'Idempotency-Key',
    isOf: hasRetryKeys,
    codec: described(
      retryKey,
      'Makes retries safe: for at least 24 hours, the same key with the same request returns the first response again. 1 to 255 visible ASCII characters, optionally in quotes.',
    ),
  },
  reason: {
    name: 'Berth-Reason',
    isOf: ({ method }) => method === 'POST',
    codec: described(
      reason,
      'The reason for the change: up to 200 characters in percent-encoded UTF-8. It is recorded permanently with the event.',
    ),
  },
  ifMatch: {
    name: 'If-Match',
    isOf: ({ isConditional }) => isConditional,
    codec: described(
      revisions,
      'The ETag of the SUT when it was read. The change is refused if the SUT has changed since, except by what probes found.',
    ),
  },
  // Compared by Koa, with the ETag of the response.
  ifNoneMatch: {
    name: 'If-None-Match',
    isOf: ({ method, isTagged }) => method === 'GET' && isTagged,
    codec: described(
      withSchema(new t.StringType(), () => ({ type: 'string' })),
      'A known ETag. If it is still current, the response is 304 without a body.',
    ),
  },
  after: {
    name: 'Berth-After',
    isOf: ({ method, roles }) => method === 'GET' && roles !== 'anyone',
    codec: described(
      positionParameter,
      'A Berth-Position that the response must reflect. The read waits up to 5 s for this instance to reach it.',
    ),
  },
  lastEventId: {
    name: 'Last-Event-ID',
    isOf: ({ isResumable }) => isResumable,
    codec: described(
      lastEventId,
      'The position to continue after, sent by browsers on reconnection. It takes precedence over after.',
    ),
  },
}
