import type { Context } from 'koa'
import type { Problem } from '../domain/failure.ts'
import { type Refusal, refusal } from './problem.ts'

/** What the head of a request must be like, whatever it asks for. */

/** Characters of the request's target. */
const URI_MAX = 8_192

/** HTTP/1.1 takes exactly one Host header (RFC 9112, section 3.2); Node itself passes over a second one. */
const isHostClear = ({ req }: Context): boolean => {
  let hosts = 0
  for (let i = 0; i < req.rawHeaders.length; i += 2) if (req.rawHeaders[i]?.toLowerCase() === 'host') hosts++
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

export const acceptsJson = (ctx: Context): boolean => {
  const { accept } = ctx.req.headers
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return true
  return ctx.accepts('application/json', 'application/problem+json') !== false
}

/** No address takes parameters yet. */
export const queryProblems = (ctx: Context): readonly Problem[] => {
  if (ctx.querystring === '') return []
  return [...new URLSearchParams(ctx.querystring).keys()].map((name) => ({
    code: 'invalid',
    path: [name],
    in: 'query',
    detail: 'is not a parameter of this address',
  }))
}
