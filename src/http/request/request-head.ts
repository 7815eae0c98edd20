/** Checks of the request head that apply to every request. */

import type { MediaTypes } from '../protocol/call.ts'
import type { Context } from '../protocol/context.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'

/** Characters of the request target. */
const URI_MAX = 8_192

/** HTTP/1.1 requires exactly one Host header (RFC 9112, section 3.2). Node ignores a second one. */
const isHostClear = ({ req }: Pick<Context, 'req'>): boolean => {
  let hosts = 0
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && req.httpVersionMajor === 1 && req.httpVersionMinor === 0)
}

/** A host name or address with an optional port, as in an http URI (RFC 9110, section 4.2.1); not empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::(\d{0,5}))?$/i
/** Characters of a host name and its port. */
const HOST_MAX = 260
const PORT_MAX = 65_535

const isHost = (host: string): boolean => {
  const match = host.length <= HOST_MAX ? HOST.exec(host) : null
  return match !== null && Number(match[1] ?? 0) <= PORT_MAX
}

/** The authority of a request target in absolute form (RFC 9112, section 3.2.2). URL parsers throw on some texts there. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i

/** Percent-encoded control characters in UTF-8. No valid path contains one. Node refuses unencoded ones. */
const CONTROL = /%(?:[01][0-9a-f]|7f|c2%[89][0-9a-f])/i

const targetProblem = (url: string): string | undefined => {
  if (url.includes('#')) return 'The address must not contain a fragment.'
  const authority = AUTHORITY.exec(url)?.[1]
  if (authority !== undefined && !isHost(authority)) {
    return 'The host in the address must be a host name or an IP address, with an optional port.'
  }
  const query = url.indexOf('?')
  return CONTROL.test(query === -1 ? url : url.slice(0, query)) ? 'The path contains a control character.' : undefined
}

/** What is wrong with a request head, independent of user and route. */
export const headProblem = (ctx: Pick<Context, 'req' | 'url'>): Refusal | undefined => {
  if (ctx.url.length > URI_MAX) return refusal('uri_too_long', `The address exceeds ${URI_MAX} characters.`)
  const { headers } = ctx.req
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return refusal('not_implemented', 'The only supported Transfer-Encoding is chunked.')
  }
  if (!isHostClear(ctx)) return refusal('malformed_request', 'There must be exactly one Host header.')
  if (headers.host !== undefined && !isHost(headers.host)) {
    return refusal('malformed_request', 'The Host header must be a host name or an IP address, with an optional port.')
  }
  const wrongTarget = targetProblem(ctx.url)
  if (wrongTarget !== undefined) return refusal('malformed_request', wrongTarget)
  if (headers.expect === undefined || headers.expect.toLowerCase() === '100-continue') return undefined
  return refusal('malformed_request', 'The only supported expectation is 100-continue.')
}

/** A longer Accept field counts as one that takes anything: reading it can cost the square of its length. */
const ACCEPT_MAX = 1_024
/** Clients name it, also for JSON, which has no such parameter. All text is UTF-8 here. */
const CHARSET = '; charset=utf-8'

/**
 * The media type to respond with; undefined if none is acceptable. A client that accepts only the media type of errors
 * gets the default.
 */
export const negotiate = (ctx: Context, mediaTypes: MediaTypes): string | undefined => {
  const { accept } = ctx.req.headers
  const [first] = mediaTypes
  if (accept === undefined || accept === '*/*' || accept === first || accept.length > ACCEPT_MAX) return first
  const accepted = ctx.accepts(...mediaTypes.flatMap((type) => [type, `${type}${CHARSET}`]))
  if (accepted) return mediaTypes.find((type) => accepted === type || accepted === `${type}${CHARSET}`)
  return ctx.accepts('application/problem+json') ? first : undefined
}
