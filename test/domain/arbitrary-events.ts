import fc from 'fast-check'
import { type JsonSchema, schemaOf } from '../../src/domain/codec/json-schema.ts'
import { type DataOf, EVENT_TYPES, type EventType, eventDeclarations, type Metadata } from '../../src/domain/event.ts'
import type { Criteria } from '../../src/domain/events/criteria.ts'
import { formatMilliseconds, formatWithOffset } from '../../src/domain/values/instant.ts'
import { arbitraryOffset } from './builders.ts'

/** Text of `minLength` to `maxLength` graphemes, including emoji and combining characters. */
const arbitraryText = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: 'grapheme', minLength, maxLength })

const arbitraryTags = <A>(values: fc.Arbitrary<A>) =>
  fc.dictionary(
    fc.oneof(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/), fc.constantFrom('constructor', 'toString', '10')),
    values,
    { noNullPrototype: true },
  )

const criteria = (): fc.Arbitrary<Criteria> => {
  const values = (value: fc.Arbitrary<string>) => fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }))
  const tag = fc.oneof(values(arbitraryText(0, 30)), fc.constant(null))
  const members = {
    name: values(arbitraryText(1, 40)),
    os: fc.oneof(values(arbitraryText(0, 40)), fc.constant(null)),
    tags: arbitraryTags(tag).filter((tags) => Object.keys(tags).length > 0 && Object.keys(tags).length <= 16),
  }
  return fc.record({ ...members, not: fc.record(members) }, { requiredKeys: ['os'] })
}

const arbitraryAssignedId = (): fc.Arbitrary<string> => fc.stringMatching(/^[0-9a-f]{24}$/)

const arbitraryOpaqueId = (): fc.Arbitrary<string> =>
  fc.oneof(arbitraryAssignedId(), fc.stringMatching(/^[!-.0-~]{1,128}$/), fc.constantFrom('Zoë 😀', 'ü'.repeat(128)))

export const arbitraryAddress = (): fc.Arbitrary<string> => fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain())

const arbitraryEnd = (): fc.Arbitrary<string> =>
  fc
    .tuple(fc.integer({ min: 0, max: 16_000_000_000 }), arbitraryOffset())
    .map(([s, offset]) => formatWithOffset(s, offset))

const arbitraryTime = () => fc.integer({ min: 0, max: 16_000_000_000_000 }).map(formatMilliseconds)

const lines = () => fc.oneof(arbitraryText(0, 100), fc.constant('two\nlines\r\n\tand a tab'))

/** Members whose schema does not say how their values are written, or says more than can be tried at random. */
const BY_NAME: Readonly<Record<string, () => fc.Arbitrary<unknown>>> = {
  address: arbitraryAddress,
  description: lines,
  user_id: arbitraryOpaqueId,
  ...{ start_time: arbitraryEnd, end_time: arbitraryEnd },
  ...{ due: arbitraryTime, from: arbitraryTime, to: arbitraryTime, expires_at: arbitraryTime },
  ...{ opened_at: arbitraryTime, closed_at: arbitraryTime, session_until: arbitraryTime },
  match: criteria,
}

/** Longest text and array, however long they may be. */
const [TEXT_LENGTH, ITEMS_MAX] = [40, 3]

const arbitraryString = ({ enum: values, pattern = '', minLength, maxLength }: JsonSchema): fc.Arbitrary<string> => {
  if (values !== undefined) return fc.constantFrom(...(values as readonly string[]))
  if (maxLength !== undefined) return arbitraryText(Number(minLength ?? 0), Math.min(Number(maxLength), TEXT_LENGTH))
  const ascii = String(pattern)
  // Ids of users may have letters of any script, in classes of many ranges.
  return /^[ -~]*$/.test(ascii) ? fc.stringMatching(new RegExp(ascii)) : arbitraryOpaqueId()
}

const arbitraryNumber = ({ minimum, maximum, multipleOf = 1 }: JsonSchema): fc.Arbitrary<number> => {
  const step = Number(multipleOf)
  return fc.integer({ min: Number(minimum) / step, max: Number(maximum) / step }).map((steps) => steps * step)
}

/** Data that a schema describes, with and without optional members. */
const arbitraryOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const { type, anyOf, properties, required, items, additionalProperties } = schema
  if ('const' in schema) return fc.constant<unknown>(schema.const)
  if (anyOf !== undefined) return fc.oneof(...(anyOf as readonly JsonSchema[]).map(arbitraryOf))
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'string') return arbitraryString(schema)
  if (type === 'array') return fc.array(arbitraryOf(items as JsonSchema), { maxLength: ITEMS_MAX })
  if (properties === undefined && type === 'object')
    return arbitraryTags(arbitraryOf(additionalProperties as JsonSchema))
  if (properties === undefined) return arbitraryNumber(schema)
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>)
  const arbitraries = members.map(([name, member]) => [name, BY_NAME[name]?.() ?? arbitraryOf(member)] as const)
  const requiredKeys: readonly string[] = required === undefined ? [] : (required as readonly string[])
  return fc.record<Record<string, unknown>>(Object.fromEntries(arbitraries), { requiredKeys: [...requiredKeys] })
}

/** Any data of every event type. */
export const arbitraryData = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, arbitraryOf(schemaOf(eventDeclarations[type].data))]),
) as { readonly [T in EventType]: fc.Arbitrary<DataOf<T>> }

export const arbitraryMetadata = (): fc.Arbitrary<Metadata> =>
  fc.record(
    {
      actor: arbitraryOpaqueId(),
      role: fc.constantFrom('administrator' as const, 'tester' as const, 'auditor' as const, 'system' as const),
      request_id: arbitraryText(1, 20),
      time: arbitraryTime(),
      schema: fc.integer({ min: 1, max: 65535 }),
      client: fc.stringMatching(/^[A-Za-z0-9._-]{1,32}:[\w-]{22}$/),
      key: fc.stringMatching(/^[\w-]{22}\.[\w-]{22}$/),
      reason: arbitraryText(1, 20),
    },
    { requiredKeys: ['actor', 'role', 'request_id', 'time', 'schema'] },
  )
