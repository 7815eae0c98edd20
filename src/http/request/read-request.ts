import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { parseIdempotencyKey } from '../../commands/idempotency-key.ts'
import { invalid, type Problem } from '../../domain/failure.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { decodeQuery, noQuery } from '../codecs/query.ts'
import { parseIfMatch } from '../protocol/conditional.ts'
import { parseBerthAfter, parseBerthReason, parseLastEventId } from '../protocol/header-fields.ts'
import type { Refusal } from '../protocol/problem.ts'
import { hasRetryKeys, type Route } from '../protocol/route.ts'
import { type Body, type BodyRead, hasBody, readBody } from './read-body.ts'

/** The decoded and validated input of a request. */
export interface Input {
  readonly body: unknown
  readonly query: unknown
  /** The raw body, which identifies a retry. */
  readonly bytes: Buffer
  readonly idempotencyKey: string | undefined
  readonly ifMatch: readonly number[] | undefined
  /** The reason to record with the change. */
  readonly reason: string | undefined
  readonly lastEventId: PublicPosition | undefined
  /** The public position that a read must have reached. */
  readonly after: PublicPosition | undefined
}

const NO_BODY: Body = { bytes: Buffer.alloc(0), json: undefined }
const ABSENT = E.right(undefined)

const header = (ctx: Context, name: string): string | undefined => ctx.req.headers[name] as string | undefined

const readBodyOf = (ctx: Context, route: Route): BodyRead =>
  route.body === undefined || (route.isBodyOptional && !hasBody(ctx)) ? E.right(NO_BODY) : readBody(ctx)

const inputOf = (ctx: Context, route: Route, read: E.Either<Refusal, Body>): E.Either<Refusal, Input> => {
  if (E.isLeft(read)) return read
  const { bytes, json } = read.right
  const isPost = route.method === 'POST'
  const key = hasRetryKeys(route) ? parseIdempotencyKey(header(ctx, 'idempotency-key')) : ABSENT
  const reason = isPost ? parseBerthReason(header(ctx, 'berth-reason')) : ABSENT
  const ifMatch = route.isConditional ? parseIfMatch(header(ctx, 'if-match')) : ABSENT
  const after = isPost ? ABSENT : parseBerthAfter(header(ctx, 'berth-after'))
  const last = route.isResumable ? parseLastEventId(header(ctx, 'last-event-id')) : ABSENT
  const body = route.body === undefined ? ABSENT : route.body(json)
  const query = decodeQuery<unknown>(ctx.querystring, route.query ?? noQuery, route.repeatable)
  const isHeaderRight = E.isRight(key) && E.isRight(reason) && E.isRight(ifMatch) && E.isRight(after)
  if (isHeaderRight && E.isRight(last) && E.isRight(body) && E.isRight(query)) {
    const inHeader = {
      lastEventId: last.right,
      idempotencyKey: key.right,
      reason: reason.right,
      ifMatch: ifMatch.right,
      after: after.right,
    }
    return E.right({ ...inHeader, body: body.right, query: query.right, bytes })
  }
  const inHeader = [key, reason, ifMatch, after, last].flatMap((field): Problem[] =>
    E.isLeft(field) ? [field.left] : [],
  )
  const [inParameters, inBody] = [query, body].map((part): readonly Problem[] => (E.isLeft(part) ? part.left : []))
  return E.left(invalid([...(inParameters ?? []), ...inHeader, ...(inBody ?? [])]))
}

/** Reads the body and header fields. A refusal names every problem. */
export const readRequest = (
  ctx: Context,
  route: Route,
): E.Either<Refusal, Input> | Promise<E.Either<Refusal, Input>> => {
  const read = readBodyOf(ctx, route)
  return read instanceof Promise ? read.then((body) => inputOf(ctx, route, body)) : inputOf(ctx, route, read)
}
