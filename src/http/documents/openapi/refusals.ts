import { type Code, codes } from '../../protocol/problem.ts'
import type { Operation } from '../../protocol/route.ts'

/** The refusals an operation can give, derived from its declaration. */

const OF_ALL: readonly Code[] = [
  ...(['malformed_request', 'not_acceptable', 'uri_too_long', 'invalid'] as const),
  ...(['internal', 'not_implemented', 'unavailable'] as const),
]
/** A token for metrics only is forbidden everything else. */
const OF_KNOWN: readonly Code[] = ['unauthenticated', 'too_many_attempts', 'forbidden']
const OF_BODIES: readonly Code[] = [
  ...(['malformed_json', 'body_too_large', 'unsupported_media_type', 'field_unknown', 'field_read_only'] as const),
]
/** What can happen to a command on its way into the log. */
const OF_COMMANDS: readonly Code[] = [
  ...(['cross_site', 'idempotency_in_progress', 'idempotency_key_reused', 'store_full'] as const),
  ...(['outcome_unknown', 'clock_behind', 'clock_ahead'] as const),
]

/** Every code an operation can refuse with, in the order of the table. */
const refusalsOf = ({ method, roles, body, isConditional, refusals = [] }: Operation): readonly Code[] => {
  const possible = new Set<string>([
    ...OF_ALL,
    ...(roles === 'anyone' ? [] : OF_KNOWN),
    ...(body === undefined ? [] : OF_BODIES),
    ...(method === 'POST' ? OF_COMMANDS : []),
    ...(method === 'GET' && roles !== 'anyone' ? ['position_not_reached'] : []),
    ...(isConditional ? ['stale'] : []),
    ...refusals,
  ])
  return (Object.keys(codes) as readonly Code[]).filter((code) => possible.has(code))
}

/** The same by status, which is how responses are told apart. */
export const refusalsByStatus = (operation: Operation): readonly (readonly [number, readonly Code[]])[] =>
  [...Map.groupBy(refusalsOf(operation), (code) => codes[code].status)].sort(([a], [b]) => a - b)
