import { opaqueId, orNull } from '../../../domain/codec/codec.ts'
import { closedSchema, type JsonSchema, schemaOf } from '../../../domain/codec/json-schema.ts'
import { assignedId, windowEnd } from '../../../domain/events/fields.ts'
import { Quota } from '../../../domain/events/user.ts'
import { OVER_CAUSES } from '../../../domain/failure.ts'
import { type Code, codes } from '../../protocol/problem.ts'
import type { Operation } from '../../protocol/route.ts'
import { closedObject, count, listOfAll, string, userName, windowSchema } from './answer-schemas.ts'

/** The refusals an operation can give, derived from its declaration, and their schema. */

const OF_ALL: readonly Code[] = [
  'malformed_request',
  'not_acceptable',
  'uri_too_long',
  'invalid',
  'internal',
  'not_implemented',
  'unavailable',
]
/** A token for metrics only is forbidden everything else. */
const OF_KNOWN: readonly Code[] = ['unauthenticated', 'too_many_attempts', 'forbidden']
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

/** Every code an operation can refuse with, in the order of the table. */
export const refusalsOf = ({ method, roles, body, isConditional, refusals = [] }: Operation): readonly Code[] => {
  const possible = new Set<Code>([
    ...OF_ALL,
    ...(roles === 'anyone' ? [] : OF_KNOWN),
    ...(body === undefined ? [] : OF_BODIES),
    ...(method === 'POST' ? OF_COMMANDS : []),
    ...(method === 'GET' && roles !== 'anyone' ? (['position_not_reached'] as const) : []),
    ...(isConditional ? (['stale'] as const) : []),
    ...refusals,
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

const conflict: JsonSchema = closedObject(
  {
    ...{ _id: schemaOf(assignedId), user_id: schemaOf(opaqueId), user_name: schemaOf(userName) },
    ...{ start_time: schemaOf(windowEnd), end_time: schemaOf(windowEnd) },
  },
  {
    turnaround: { const: true, description: 'Present if only the turnaround of the SUT is in the way.' },
    occurrence: schemaOf(windowEnd),
  },
)

const offered = closedSchema({ sut_id: assignedId, start_time: windowEnd, end_time: windowEnd })

/** What the refusal to exceed a quota says. */
const quotaUse = {
  used: closedObject({ hours: { type: 'number', minimum: 0 }, reservations: count }),
  quota: schemaOf(Quota),
  week: { type: ['string', 'null'], pattern: '^[0-9]{4}-W[0-9]{2}$' },
}

const fault = (where: string): JsonSchema => closedObject({ [where]: string, detail: string })

/** RFC 9457, with extensions. */
export const problemSchema = (): JsonSchema =>
  closedObject(
    {
      type: { type: 'string', format: 'uri-reference', pattern: '^/problems/' },
      title: string,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: string,
      instance: string,
      code: { type: 'string', enum: Object.keys(codes) },
    },
    {
      errors: { ...listOfAll({ oneOf: ['pointer', 'parameter', 'header'].map(fault) }), minItems: 1, maxItems: 100 },
      errors_count: { type: 'integer', minimum: 1 },
      conflicts: { ...listOfAll(conflict), maxItems: 100 },
      free_until: { anyOf: [schemaOf(windowEnd), { type: 'null' }] },
      next_available: { anyOf: [windowSchema, offered, { type: 'null' }] },
      matching: { type: 'integer', minimum: 1 },
      longest: { anyOf: [offered, { type: 'null' }] },
      sut_reservation_id: schemaOf(assignedId),
      cause: { type: 'string', enum: [...OVER_CAUSES] },
      by: schemaOf(orNull(opaqueId)),
      extendable_until: { anyOf: [schemaOf(windowEnd), { type: 'null' }] },
      ...quotaUse,
      parts: { type: 'object', additionalProperties: string },
    },
  )
