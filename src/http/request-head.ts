import type { Context } from 'koa'
import { preferred } from './accept.ts'
import { type Refusal, refusal } from './problem.ts'
import type { MediaTypes } from './route.ts'

/** What the head of a request must be like, whatever it asks for. */

/** Characters of the request's target. */
const URI_MAX = 8_192

/** HTTP/1.1 takes exactly one Host header (RFC 9112, section 3.2); Node itself passes over a second one. */
const isHostClear = ({ req }: Context): boolean => {
  let hosts = 0
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && req.httpVersionMajor === 1 && req.httpVersionMinor === 0)
}

const isExpectationMet = ({ expect }: Context['req']['headers']): boolean =>
  expect === undefined || expect.toLowerCase() === '100-continue'

/** What is wrong with a request before it matters who asks for what. */
export const headProblem = (ctx: Context): Refusal | undefined => {
  if (ctx.url.length > URI_MAX) return refusal('uri_too_long', `The address has more than ${URI_MAX} characters.`)
  if (!isHostClear(ctx)) return refusal('malformed_request', 'There must be one Host header.')
  if (isExpectationMet(ctx.req.headers)) return undefined
  return refusal('malformed_request', 'The only expectation that is met is 100-continue.')
}

/**
 * Of what a route answers with, what the client likes best, the first where it likes all alike; undefined where it takes
 * none. Who names the media type of refusals takes what there is beside them.
 */
export const acceptable = (ctx: Context, mediaTypes: MediaTypes): string | undefined => {
  const { accept } = ctx.req.headers
  const [first] = mediaTypes
  if (accept === undefined || accept === '*/*' || accept === first) return first
  const liked = preferred(accept, mediaTypes)
  if (liked !== undefined) return liked
  return preferred(accept, ['application/problem+json']) === undefined ? undefined : first
}
