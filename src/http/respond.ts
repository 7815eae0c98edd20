import type { Context } from 'koa'
import type { User } from '../users/users-file.ts'
import { isKnownToClient } from './conditional.ts'
import { formatPosition } from './position.ts'
import { type Code, codes, isProblemJsonWanted, problemBody, type Refusal } from './problem.ts'
import type { Answer, Route } from './route.ts'

/** What is known of a request so far. */
interface State {
  requestId: string
  user: User
  /** The path of its route. */
  route?: string
  /** Of its refusal. */
  code?: Code
}

export const JSON_TYPE = 'application/json'

export const stateOf = (ctx: Context): State => ctx.state as State

export const refuse = (ctx: Context, refused: Refusal): void => {
  const { status, retryAfter } = codes[refused.code]
  stateOf(ctx).code = refused.code
  ctx.status = status
  ctx.set('Content-Type', isProblemJsonWanted(ctx.get('Accept')) ? 'application/problem+json' : 'application/json')
  const seconds = refused.retryAfter ?? retryAfter
  if (seconds !== undefined) ctx.set('Retry-After', String(seconds))
  if (refused.code === 'unauthenticated') ctx.set('WWW-Authenticate', 'Basic realm="berth", charset="UTF-8"')
  // A client sees no answer before it could send its body, and none at all if the connection ends under its hands.
  if (refused.code === 'body_too_large') ctx.req.resume()
  ctx.body = problemBody(refused, stateOf(ctx).requestId)
}

export const answer = (ctx: Context, { mediaType = JSON_TYPE }: Route, { status, body, headers }: Answer): void => {
  if (headers !== undefined) ctx.set(headers)
  if (
    headers?.ETag !== undefined &&
    ctx.method !== 'POST' &&
    isKnownToClient(ctx.req.headers['if-none-match'], headers.ETag)
  ) {
    ctx.status = 304
    return
  }
  ctx.status = status
  ctx.set('Content-Type', mediaType)
  ctx.body = body
}

/** Says to someone who is known which place in the log the answer reflects. */
export const positioned = (ctx: Context, position: number): void => {
  if (stateOf(ctx).user !== undefined && position >= 0) ctx.set('Berth-Position', formatPosition(position))
}
