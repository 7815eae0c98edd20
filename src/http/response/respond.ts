import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { formatPosition, type PublicPosition } from '../../domain/values/position.ts'
import { escapeLineSeparators } from '../../domain/values/text.ts'
import { JSON_TYPE, type RouteResponse, type StreamedBody } from '../protocol/call.ts'
import type { Context } from '../protocol/context.ts'
import { codes, isProblemJsonWanted, problemBody, type Refusal } from '../protocol/problem.ts'
import type { Route } from '../protocol/route.ts'
import { bufferOf } from './compress.ts'
import { discardUnread } from './unread-body.ts'

/**
 * Over plain HTTP to a host that is not loopback, browsers send no Sec-Fetch-Mode. Navigations have
 * Upgrade-Insecure-Requests there too.
 */
const modeOf = (headers: IncomingHttpHeaders): unknown =>
  headers['sec-fetch-mode'] ?? (headers['upgrade-insecure-requests'] === '1' ? 'navigate' : undefined)

/** Whether a browser sent the request, as far as its header shows. */
const isOfBrowser = (headers: IncomingHttpHeaders): boolean => modeOf(headers) !== undefined

/** Whether a person opened the address in a browser. */
export const isNavigation = (headers: IncomingHttpHeaders): boolean => modeOf(headers) === 'navigate'

/**
 * The headers of a page: nothing from other origins, nothing inline, no eval, no framing. Icons, and images of styles
 * and of noVNC, are data URLs.
 *
 * @param formAction what forms may be sent to
 * @param more further directives of the policy
 */
export const pageHeaders = (formAction: "'none'" | "'self'" = "'none'", ...more: readonly string[]) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...more,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
})

const NOT_FOUND_FILE = new URL('../../web/documents/not-found.html', import.meta.url)
/** What people see at an address where nothing is. It is the same for every request. */
export const NOT_FOUND_PAGE = readFileSync(NOT_FOUND_FILE, 'utf8')

/** Not stored, because a program gets another response at the same address. */
const NOT_FOUND_HEADERS = {
  ...pageHeaders(),
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
}

/** Begins a response, or replaces one. */
export const begin = (ctx: Context): void => {
  for (const name of ctx.res.getHeaderNames()) ctx.remove(name)
  ctx.set({ 'X-Request-Id': ctx.state.requestId, 'X-Content-Type-Options': 'nosniff' })
}

/**
 * For Basic a browser opens a dialog of its own, and then sends that password with every request. What calendars are for
 * sends the user name of an address only when asked for it, and some are made of a browser.
 */
const challengeOf = (headers: IncomingHttpHeaders, route: Route | undefined): string =>
  (isOfBrowser(headers) && route?.tokenScope !== 'calendar') || /^bearer\b/i.test(headers.authorization ?? '')
    ? 'Bearer'
    : 'Basic realm="berth", charset="UTF-8"'

const problemHeaders = (
  { req: { headers }, state: { route } }: Context,
  { code, retryAfter = codes[code].retryAfter }: Refusal,
) => ({
  'Content-Type': isProblemJsonWanted(headers.accept) ? 'application/problem+json' : JSON_TYPE,
  ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  ...(code === 'upgrade_required' && { Upgrade: 'websocket', Connection: 'Upgrade, close' }),
  // What is not there now, such as a file of the page, may be there after an update.
  ...(code === 'not_found' && { 'Cache-Control': 'no-store' }),
  ...(code === 'unauthenticated' && { 'WWW-Authenticate': challengeOf(headers, route) }),
})

/** The position that a response shows; none before the first event. */
export const positionHeader = (position: PublicPosition): Readonly<Record<string, string>> =>
  position < 0 ? {} : { 'Berth-Position': formatPosition(position) }

/** Answers with a refusal, in place of whatever there was to answer. */
export const respondWithRefusal = (ctx: Context, refused: Refusal): void => {
  begin(ctx)
  ctx.state.code = refused.code
  ctx.status = codes[refused.code].status
  const isPage = refused.code === 'not_found' && isNavigation(ctx.req.headers)
  ctx.set(isPage ? NOT_FOUND_HEADERS : problemHeaders(ctx, refused))
  ctx.body = isPage ? NOT_FOUND_PAGE : problemBody(refused, ctx.state.requestId)
}

/** Answers with what a handler made. */
export const respond = (ctx: Context, route: Route, response: RouteResponse): void => {
  const { status, body, headers, mediaType = ctx.state.mediaType, position } = response
  // The connection has left HTTP.
  if (status === 101) ctx.respond = false
  ctx.status = status
  ctx.state.position = position
  const isShown = position !== undefined && route.roles !== 'anyone'
  ctx.set({ 'Content-Type': mediaType, ...headers, ...(isShown && positionHeader(position)) })
  if (route.otherMediaTypes !== undefined) ctx.vary('Accept')
  if (typeof body === 'string') ctx.body = mediaType === JSON_TYPE ? escapeLineSeparators(body) : body
  else if ('bytes' in body) {
    ctx.state.kept = body.compressed
    ctx.body = bufferOf(body.bytes)
  }
}

/** Streams a body to its end. */
export const sendStream = async (ctx: Context, { run, leave }: StreamedBody): Promise<void> => {
  ctx.respond = false
  discardUnread(ctx.req, ctx.res)
  // Without this, a disconnect would go unnoticed.
  ctx.req.socket.resume()
  ctx.flushHeaders()
  if (ctx.method !== 'HEAD') return run(ctx.res)
  leave()
  ctx.res.end()
}
