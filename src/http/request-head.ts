import type { Context } from 'koa'
import { type Refusal, refusal } from './problem.ts'

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

/** Whether the client takes what a route answers with; who asks for JSON alone gets refusals in it. */
export const isAcceptable = (ctx: Context, mediaType: string): boolean => {
  const { accept } = ctx.req.headers
  if (accept === undefined || accept === '*/*' || accept === mediaType) return true
  return ctx.accepts(mediaType.replace(/;.*/, ''), 'application/problem+json') !== false
}
