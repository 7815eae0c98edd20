import type { User } from '../../domain/user/user.ts'
import type { Code } from '../protocol/problem.ts'

/**
 * What the log and the metrics get to know of a request. Never headers, bodies or queries, and of the path only its
 * route.
 */
export interface RequestSummary {
  readonly requestId: string
  /** From the client's `traceparent`. */
  readonly traceId: string | undefined
  readonly method: string
  /** The path in the route table, or `NO_ROUTE`. */
  readonly route: string
  readonly status: number
  /** Of an error response. */
  readonly code: Code | undefined
  readonly milliseconds: number
  readonly user: Pick<User, '_id' | 'role' | 'token' | 'session'> | undefined
  /** Of the client. */
  readonly address: string | undefined
}

/** The route of a request that matched none or was refused before. */
export const NO_ROUTE = 'none'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Maps unusual methods to one value, because a client can send any. */
export const knownMethod = (method: string | undefined): string =>
  method !== undefined && METHODS.has(method) ? method : 'other'

/** Version 00 has these four parts; later versions may append more. Version ff is forbidden. */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The trace id of a `traceparent` header (W3C Trace Context); undefined if absent or malformed. */
export const traceIdOf = (header: string | readonly string[] | undefined): string | undefined => {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, parentId, more] = TRACE_PARENT.exec(header) ?? []
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(parentId as string)) return undefined
  return version === '00' && more !== undefined ? undefined : traceId
}

/** pino's level number. */
const INFO = 30

/**
 * A line of the access log, formatted as pino would. Lines are frequent, and pino takes ten times as long. `time` is in
 * Unix milliseconds.
 */
export const requestLine = (answered: RequestSummary, time: number, pid: number): string => {
  const { requestId, traceId, method, route, status, code, milliseconds, user, address } = answered
  const line = {
    level: INFO,
    time,
    pid,
    request_id: requestId,
    trace_id: traceId,
    method,
    route,
    status,
    code,
    ms: Math.round(milliseconds * 100) / 100,
    user: user?._id,
    role: user?.role,
    token: user?.token,
    session: user?.session?._id,
    address,
    msg: 'answered',
  }
  return `${JSON.stringify(line)}\n`
}
