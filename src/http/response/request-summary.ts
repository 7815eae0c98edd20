import type { User } from '../../users/users-file.ts'
import type { Code } from '../protocol/problem.ts'

/**
 * What is told of a request when its answer is ready. These facts and no others reach the log and the metrics: nothing of
 * headers, bodies and queries, and of the address asked for only which route it is.
 */
export interface RequestSummary {
  readonly requestId: string
  /** Of the trace that the client says the request belongs to. */
  readonly traceId: string | undefined
  readonly method: string
  /** As the page of routes has it, or why there is none. */
  readonly route: string
  readonly status: number
  /** Of a refusal. */
  readonly code: Code | undefined
  readonly milliseconds: number
  readonly user: Pick<User, '_id' | 'role'> | undefined
  /** Of the client. */
  readonly address: string | undefined
}

/** The route of a request that none was found for: refused before, or at an address that is none. */
export const NO_ROUTE = 'none'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The method, of a few: a client can send many more. */
export const knownMethod = (method: string | undefined): string =>
  method !== undefined && METHODS.has(method) ? method : 'other'

/** Version 00 has these four parts; a later one may have more behind them. Version ff is forbidden. */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The trace id of a `traceparent` header (W3C Trace Context); undefined where it is malformed or absent. */
export const traceIdOf = (header: string | readonly string[] | undefined): string | undefined => {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, parentId, more] = TRACE_PARENT.exec(header) ?? []
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(parentId as string)) return undefined
  return version === '00' && more !== undefined ? undefined : traceId
}
