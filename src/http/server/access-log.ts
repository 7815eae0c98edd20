import type { RequestSummary } from '../response/request-summary.ts'

/** pino's level number. */
const INFO = 30

/** A field of the line with its leading comma; empty without a value. */
const field = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

/**
 * A line of the access log, formatted as pino would. Lines are frequent, and pino takes ten times as long. `time` is in
 * Unix milliseconds.
 */
export const requestLine = (answered: RequestSummary, time: number, pid: number): string => {
  const { requestId, traceId, method, route, status, code, milliseconds, user, address } = answered
  // Values that are not JSON-encoded come from our own constants.
  return (
    `{"level":${INFO},"time":${time},"pid":${pid},"request_id":"${requestId}"${field('trace_id', traceId)}` +
    `,"method":"${method}","route":"${route}","status":${status}${field('code', code)}` +
    `,"ms":${Math.round(milliseconds * 100) / 100}${field('user', user?._id)}${field('role', user?.role)}` +
    `${field('token', user?.token)}${field('session', user?.session?._id)}` +
    `${field('address', address)},"msg":"answered"}\n`
  )
}
