import * as E from 'fp-ts/lib/Either.js'
import { parseIdempotencyKey } from '../../commands/idempotency-key.ts'
import { Reason } from '../../domain/event.ts'
import { invalid, type Problem } from '../../domain/failure.ts'
import { type PublicPosition, parsePosition } from '../../domain/values/position.ts'
import { decodePercent } from '../../domain/values/text.ts'
import type { Views } from '../../read-models/views.ts'
import { noQuery } from '../codecs/query.ts'
import type { Context, Guard } from '../protocol/context.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { type DecodeQuery, hasRetryKeys, type Route } from '../protocol/route.ts'

/** Parses a position; undefined if the header is absent. */
const parserOf =
  (name: string, example: string) =>
  (header: string | undefined): E.Either<Problem, PublicPosition | undefined> => {
    const position = parsePosition(header ?? '')
    if (header === undefined || position !== undefined) return E.right(position)
    const detail = `must be a position of up to 20 digits, below 2^53, as in ${example}`
    return E.left({ code: 'invalid', path: [name], in: 'header', detail })
  }

const parseBerthAfter = parserOf('Berth-After', 'Berth-Position')

const lastEventId = parserOf('Last-Event-ID', 'the id of an event')

/** A client without any event may send an empty value. */
const parseLastEventId = (header: string | undefined) => lastEventId(header === '' ? undefined : header)

/** Bytes beyond ASCII arrive without any known character encoding. */
const ASCII = /^[\x20-\x7e]*$/

/** Parses a Berth-Reason header, which is percent-encoded UTF-8. Right(undefined) if absent. */
const parseBerthReason = (header: string | undefined): E.Either<Problem, string | undefined> => {
  if (header === undefined) return E.right(undefined)
  const reason = ASCII.test(header) ? decodePercent(header) : undefined
  if (Reason.is(reason)) return E.right(reason)
  const detail =
    reason === undefined
      ? 'must be percent-encoded UTF-8, with % written as %25'
      : 'must be 1 to 200 characters, without control characters'
  return E.left({ code: 'invalid', path: ['Berth-Reason'], in: 'header', detail })
}

/**
 * Conditional requests (RFC 9110, section 13). A SUT's entity tag begins with the revision of its record. If-Match
 * compares only that: neither what probes found since nor the coding of the response makes a write stale.
 */

/** A list of entity tags, with empty elements. Tags may contain commas. */
const LIST = /^(?:[ \t,]*(?:W\/)?"[\x21\x23-\x7e\u0080-\u00ff]*"[ \t]*(?:,|$))+[ \t,]*$/
const TAG = /(?:W\/)?"[^"]*"/g
/** The record's revision, the number of changes that probes found unless there are none, and the coding. */
const SUT_TAG = /^"(0|[1-9]\d{0,15})(?:\.[1-9]\d{0,15})?(?:-(?:gzip|zstd))?"$/
/** Entity tags read from a list. */
const TAGS_MAX = 100

/** The revisions that If-Match allows; undefined for any. Weak and foreign tags match nothing. */
const parseIfMatch = (header: string | undefined): E.Either<Problem, readonly number[] | undefined> => {
  if (header === undefined || header.trim() === '*') return E.right(undefined)
  const tags = LIST.test(header) ? (header.match(TAG) ?? []) : []
  if (tags.length === 0 || tags.length > TAGS_MAX) {
    const detail = `must be * or a list of at most ${TAGS_MAX} quoted entity tags, as in ETag`
    return E.left({ code: 'invalid', path: ['If-Match'], in: 'header', detail })
  }
  return E.right(
    tags.flatMap((tag) => {
      const [, revision] = SUT_TAG.exec(tag) ?? []
      return revision === undefined ? [] : [Number(revision)]
    }),
  )
}

const ABSENT = E.right(undefined)

/** Reads the query and the header fields of a request, and decodes its body. A refusal names every problem. */
export const readInput = (route: Route): Guard => {
  const isPost = route.method === 'POST'
  const hasKeys = hasRetryKeys(route)
  const decodeQuery: DecodeQuery<unknown> = route.query ?? noQuery
  const withoutQuery = decodeQuery('')
  return (ctx) => {
    const header = (name: string): string | undefined => ctx.req.headers[name] as string | undefined
    const key = hasKeys ? parseIdempotencyKey(header('idempotency-key')) : ABSENT
    const reason = isPost ? parseBerthReason(header('berth-reason')) : ABSENT
    const ifMatch = route.isConditional ? parseIfMatch(header('if-match')) : ABSENT
    const after = isPost ? ABSENT : parseBerthAfter(header('berth-after'))
    const last = route.isResumable ? parseLastEventId(header('last-event-id')) : ABSENT
    const body = route.body === undefined ? ABSENT : route.body(ctx.state.body?.json)
    const text = ctx.querystring
    const query = text === '' ? withoutQuery : decodeQuery(text)
    const isHeaderRight = E.isRight(key) && E.isRight(reason) && E.isRight(ifMatch) && E.isRight(after)
    if (isHeaderRight && E.isRight(last) && E.isRight(body) && E.isRight(query)) {
      ctx.state.input = {
        body: body.right,
        query: query.right,
        idempotencyKey: key.right,
        ifMatch: ifMatch.right,
        reason: reason.right,
        lastEventId: last.right,
        after: after.right,
      }
      return undefined
    }
    const inHeader = [key, reason, ifMatch, after, last].flatMap((field) => (E.isLeft(field) ? [field.left] : []))
    const inQuery = E.isLeft(query) ? query.left : []
    return invalid([...inQuery, ...inHeader, ...(E.isLeft(body) ? body.left : [])])
  }
}

/** Waits until a read can show the position that it is to show at least. */
export const waitForPosition = ({ views }: { readonly views: Pick<Views, 'waitForPublicPosition'> }): Guard => {
  const reach = async (ctx: Context, after: PublicPosition): Promise<Refusal | undefined> => {
    ctx.state.hasWaited = true
    const isReached = await views.waitForPublicPosition(after)
    return isReached
      ? undefined
      : refusal('position_not_reached', `This instance has not reached position ${after} yet.`)
  }
  return (ctx) => {
    const { after } = ctx.state.input
    return after === undefined ? undefined : reach(ctx, after)
  }
}
