import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from 'koa'
import { escapeLineSeparators } from '../../domain/values/json-text.ts'
import { formatPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { User } from '../../users/user.ts'
import { type Coding, codedTag, codingOf, UNCOMPRESSED_MAX } from '../protocol/coding.ts'
import { isKnownToClient } from '../protocol/conditional.ts'
import { pageHeaders } from '../protocol/page-headers.ts'
import { type Code, codes, isProblemJsonWanted, problemBody, type Refusal } from '../protocol/problem.ts'
import { JSON_TYPE, NO_STORE, type Route, type RouteResponse, type StreamedBody } from '../protocol/route.ts'
import type { Match } from '../protocol/router.ts'
import { isNavigation, isOfBrowser } from '../request/request-head.ts'
import { discardUnread } from '../request/unread-body.ts'
import { compress } from './compress.ts'

/** What people see at an address where nothing is. It is the same for every request. */

export const NOT_FOUND_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found · Berth</title>
<link rel="icon" href="data:,">
<main>
<h1>Nothing exists at this address</h1>
<p><a href="/">Back to Berth</a>, or read <a href="/guide">the guide</a>.</p>
</main>
</html>
`

/** Not stored, because a program gets another response at the same address. */
const NOT_FOUND_HEADERS = {
  ...pageHeaders(),
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
}

/** What is known of a request so far. */
interface State {
  requestId: string
  user: User
  match: Match
  /** Whether the response shows nothing of the log, so that it need not wait for the disk. */
  skipsSync?: true
  /** Of the response. */
  mediaType?: string
  /** Of an error response. */
  code?: Code
  /** The response header: name, value, name, value. */
  header: string[]
  isPositioned: boolean
  /** The response body, unless it is streamed. */
  text?: string | Uint8Array
  /** What the body is still to be compressed with. */
  coding?: Coding | undefined
}

export const stateOf = (ctx: Context): State => ctx.state as State

/** Begins a response, or replaces one after an error. */
export const begin = (ctx: Context, requestId: string): void => {
  const state = stateOf(ctx)
  state.requestId = requestId
  state.header = ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff']
  state.isPositioned = false
  state.coding = undefined
}

/**
 * Adds a header field; each name may be set once. Node takes this list as it is, where Koa's `set` builds an object
 * first.
 */
export const setHeader = (ctx: Context, name: string, value: string): void => {
  stateOf(ctx).header.push(name, value)
}

/** Sets the response; `send` sends it at the end of the request. */
export const setText = (ctx: Context, status: number, text: string | Uint8Array): void => {
  ctx.res.statusCode = status
  stateOf(ctx).text = text
  if (stateOf(ctx).coding === undefined) setHeader(ctx, 'Content-Length', String(Buffer.byteLength(text)))
}

/** Has the body compressed. Called before it is set. */
const setCoding = (ctx: Context, coding: Coding | undefined): void => {
  if (coding === undefined) return
  setHeader(ctx, 'Content-Encoding', coding)
  stateOf(ctx).coding = coding
}

/** Compresses the body if its response says so. Undefined if there is nothing to wait for. */
export const encode = (ctx: Context): Promise<void> | undefined => {
  const state = stateOf(ctx)
  const { coding, text } = state
  if (coding === undefined || text === undefined) return undefined
  return compress(text, coding).then((compressed) => {
    state.coding = undefined
    setText(ctx, ctx.res.statusCode, compressed)
  })
}

/** Sends the response. Node omits the body for HEAD. */
export const send = (ctx: Context): void => {
  const { text, header } = stateOf(ctx)
  if (text === undefined) return
  discardUnread(ctx.req, ctx.res)
  ctx.res.writeHead(ctx.res.statusCode, header).end(text)
}

/** For Basic a browser opens a dialog of its own, and then sends that password with every request. */
const challengeOf = (headers: IncomingHttpHeaders): string =>
  isOfBrowser(headers) || /^bearer\b/i.test(headers.authorization ?? '')
    ? 'Bearer'
    : 'Basic realm="berth", charset="UTF-8"'

const showNotFound = (ctx: Context): void => {
  for (const [name, value] of Object.entries(NOT_FOUND_HEADERS)) setHeader(ctx, name, value)
  setText(ctx, codes.not_found.status, NOT_FOUND_PAGE)
}

const showProblem = (ctx: Context, refused: Refusal): void => {
  const { status, retryAfter } = codes[refused.code]
  setHeader(ctx, 'Content-Type', isProblemJsonWanted(ctx.get('Accept')) ? 'application/problem+json' : JSON_TYPE)
  const seconds = refused.retryAfter ?? retryAfter
  if (seconds !== undefined) setHeader(ctx, 'Retry-After', String(seconds))
  if (refused.code === 'upgrade_required') {
    setHeader(ctx, 'Upgrade', 'websocket')
    setHeader(ctx, 'Connection', 'Upgrade, close')
  }
  // What is not there now, such as a file of the page, may be there after an update.
  if (refused.code === 'not_found') setHeader(ctx, 'Cache-Control', 'no-store')
  if (refused.code === 'unauthenticated') setHeader(ctx, 'WWW-Authenticate', challengeOf(ctx.req.headers))
  const body = problemBody(refused, stateOf(ctx).requestId)
  if (Buffer.byteLength(body) > UNCOMPRESSED_MAX) {
    setHeader(ctx, 'Vary', 'Accept-Encoding')
    setCoding(ctx, codingOf(ctx.req.headers['accept-encoding']))
  }
  setText(ctx, status, body)
}

export const sendRefusal = (ctx: Context, refused: Refusal): void => {
  begin(ctx, stateOf(ctx).requestId)
  stateOf(ctx).code = refused.code
  if (refused.code === 'not_found' && isNavigation(ctx.req.headers)) showNotFound(ctx)
  else showProblem(ctx, refused)
}

/** Whether a response depends on the codings that the client takes. */
const isCompressible = (body: RouteResponse['body'], type: string, headers: RouteResponse['headers']): boolean => {
  if (typeof body !== 'string') return 'bytes' in body && body.compressed !== undefined
  const isSecret = headers?.['Cache-Control'] === NO_STORE['Cache-Control']
  return type === JSON_TYPE && !isSecret && Buffer.byteLength(body) > UNCOMPRESSED_MAX
}

/** Adds the header of the response, with the entity tag of this coding. */
const setHeaders = (
  ctx: Context,
  headers: RouteResponse['headers'],
  vary: readonly string[],
  coding: Coding | undefined,
): string | undefined => {
  if (vary.length > 0) setHeader(ctx, 'Vary', vary.join(', '))
  for (const name in headers) if (name !== 'ETag') setHeader(ctx, name, headers[name] as string)
  if (headers?.ETag === undefined) return undefined
  const entityTag = codedTag(headers.ETag, coding)
  setHeader(ctx, 'ETag', entityTag)
  return entityTag
}

export const respond = (ctx: Context, route: Route, { status, body, headers, mediaType }: RouteResponse): void => {
  const state = stateOf(ctx)
  const type = mediaType ?? state.mediaType ?? JSON_TYPE
  const isVaried = isCompressible(body, type, headers)
  const coding = isVaried ? codingOf(ctx.req.headers['accept-encoding']) : undefined
  const vary = [...(route.otherMediaTypes === undefined ? [] : ['Accept']), ...(isVaried ? ['Accept-Encoding'] : [])]
  const entityTag = setHeaders(ctx, headers, vary, coding)
  if (
    entityTag !== undefined &&
    ctx.method !== 'POST' &&
    isKnownToClient(ctx.req.headers['if-none-match'], entityTag)
  ) {
    ctx.res.statusCode = 304
    state.text = ''
    return
  }
  ctx.res.statusCode = status
  setHeader(ctx, 'Content-Type', type)
  if (typeof body === 'string') {
    setCoding(ctx, coding)
    setText(ctx, status, type === JSON_TYPE ? escapeLineSeparators(body) : body)
  } else if ('bytes' in body) {
    if (coding !== undefined) setHeader(ctx, 'Content-Encoding', coding)
    setText(ctx, status, (coding && body.compressed?.[coding]) ?? body.bytes)
  }
}

/** Streams a body to its end. */
export const sendStream = async (ctx: Context, { run, leave }: StreamedBody): Promise<void> => {
  discardUnread(ctx.req, ctx.res)
  // Without this, a disconnect would go unnoticed.
  ctx.req.socket.resume()
  ctx.res.writeHead(ctx.res.statusCode, stateOf(ctx).header).flushHeaders()
  if (ctx.method !== 'HEAD') return run(ctx.res)
  leave()
  ctx.res.end()
}

/** Adds the position that the response shows, for authenticated users, unless it is set already. */
export const setPosition = (ctx: Context, position: PublicPosition): void => {
  const state = stateOf(ctx)
  if (state.isPositioned || state.user === undefined) return
  if (position >= 0) setHeader(ctx, 'Berth-Position', formatPosition(position))
  state.isPositioned = true
}
