import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { parseIdempotencyKey } from '../commands/retry-key.ts'
import { invalid, type Problem } from '../domain/failure.ts'
import { parseIfMatch } from './conditional.ts'
import { parseBerthAfter } from './position.ts'
import type { Refusal } from './problem.ts'
import { decodeQuery, noQuery } from './query.ts'
import { type Body, hasBody, readBody } from './read-body.ts'
import type { Route } from './route.ts'

/** What a request says beside its address, read and found to be in order. */
export interface Input {
  readonly body: unknown
  readonly query: unknown
  /** The body as it came: what a retry is recognised by. */
  readonly bytes: Buffer
  readonly idempotencyKey: string | undefined
  readonly ifMatch: readonly number[] | undefined
  /** The public position that a read must have come to. */
  readonly after: number | undefined
}

const NO_BODY: Body = { bytes: Buffer.alloc(0), json: undefined }
const ABSENT = E.right(undefined)

const header = (ctx: Context, name: string): string | undefined => ctx.req.headers[name] as string | undefined

const readBodyOf = async (ctx: Context, route: Route): Promise<E.Either<Refusal, Body>> =>
  route.body === undefined || (route.isBodyOptional && !hasBody(ctx)) ? E.right(NO_BODY) : readBody(ctx)

/** Reads body and header fields; what they hold that they must not is refused with all of it named. */
export const readRequest = async (ctx: Context, route: Route): Promise<E.Either<Refusal, Input>> => {
  const read = await readBodyOf(ctx, route)
  if (E.isLeft(read)) return read
  const { bytes, json } = read.right
  const isPost = route.method === 'POST'
  const key = isPost ? parseIdempotencyKey(header(ctx, 'idempotency-key')) : ABSENT
  const ifMatch = route.isConditional ? parseIfMatch(header(ctx, 'if-match')) : ABSENT
  const after = isPost ? ABSENT : parseBerthAfter(header(ctx, 'berth-after'))
  const body = route.body === undefined ? ABSENT : route.body(json)
  const query = decodeQuery<unknown>(ctx.querystring, route.query ?? noQuery)
  if (E.isRight(key) && E.isRight(ifMatch) && E.isRight(after) && E.isRight(body) && E.isRight(query)) {
    const inOrder = { idempotencyKey: key.right, ifMatch: ifMatch.right, after: after.right, body: body.right }
    return E.right({ ...inOrder, query: query.right, bytes })
  }
  const inHeader = [key, ifMatch, after].flatMap((field): Problem[] => (E.isLeft(field) ? [field.left] : []))
  const [inParameters, inBody] = [query, body].map((part): readonly Problem[] => (E.isLeft(part) ? part.left : []))
  return E.left(invalid([...(inParameters ?? []), ...inHeader, ...(inBody ?? [])]))
}
