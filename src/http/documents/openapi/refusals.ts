import { type Code, codes } from '../../protocol/problem.ts'
import type { Route } from '../../protocol/route.ts'

/** The refusals an operation can give, derived from its route. */

const OF_ALL: readonly Code[] = [
  'malformed_request',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'invalid',
  'internal',
  'not_implemented',
  'unavailable',
]
const OF_KNOWN: readonly Code[] = ['unauthenticated', 'too_many_attempts']
const OF_BODIES: readonly Code[] = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'field_unknown',
  'field_read_only',
]
/** What can happen to a command on its way into the log. */
const OF_COMMANDS: readonly Code[] = [
  'cross_site',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'store_full',
  'outcome_unknown',
  'clock_behind',
  'clock_ahead',
]

const ROLES = 3

/** Every code a route can refuse with, in the order of the table, including its `own`. */
export const refusalsOf = (
  { method, may, mayUse, isForPeople, body, isConditional }: Route,
  own: readonly Code[] = [],
): readonly Code[] => {
  const isForSome = may !== 'anyone' && (may.length < ROLES || mayUse !== undefined || isForPeople === true)
  const possible = new Set<Code>([
    ...OF_ALL,
    ...(may === 'anyone' ? [] : OF_KNOWN),
    ...(isForSome ? (['forbidden'] as const) : []),
    ...(body === undefined ? [] : OF_BODIES),
    ...(method === 'POST' ? OF_COMMANDS : []),
    ...(method === 'GET' && may !== 'anyone' ? (['position_not_reached'] as const) : []),
    ...(isConditional ? (['stale'] as const) : []),
    ...own,
  ])
  return (Object.keys(codes) as readonly Code[]).filter((code) => possible.has(code))
}

/** Groups codes by status. */
export const byStatus = (refusals: readonly Code[]): ReadonlyMap<number, readonly Code[]> => {
  const found = new Map<number, readonly Code[]>()
  for (const code of refusals) {
    const { status } = codes[code]
    found.set(status, [...(found.get(status) ?? []), code])
  }
  return new Map([...found].sort(([a], [b]) => a - b))
}
