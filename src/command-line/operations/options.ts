import * as E from 'fp-ts/lib/Either.js'
import { type Option, type OptionValue, textsOf } from '../../client/command.ts'
import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import { parseQuota } from '../../domain/user/quota.ts'
import { parseScope } from '../../domain/user/scope.ts'
import { withNotes } from '../../http/documents/openapi/notes.ts'
import type { Operation } from '../../http/protocol/route.ts'
import { parseJson } from '../service/call.ts'
import { WrongUsage } from '../terminal/command.ts'
import { schemaOfBody, schemaOfQuery } from './schemas.ts'

/** A member of the body or a parameter of the query, which an option gives. */
export interface Field {
  readonly member: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
  /** A sentence for the help. */
  readonly note: string | undefined
}

/** The option of a member: `--sut` of `sut_id`, `--active` of `is_active`, `--id` of `_id`. */
export const optionOf = (member: string): string =>
  member
    .replace(/^_|^is_/, '')
    .replace(/_id$/, '')
    .replace(/^sut_/, '')
    .replaceAll('_', '-')

type Properties = Readonly<Record<string, JsonSchema>>

const fieldsIn = (schema: JsonSchema): readonly Field[] => {
  const { properties = {}, required = [] } = schema as { properties?: Properties; required?: readonly string[] }
  return Object.entries(properties).map(([member, its]) => ({
    ...{ member, schema: its, isRequired: required.includes(member) },
    note: its.description as string | undefined,
  }))
}

/** The family of parameters for tags, as one option. */
const TAGS: Field = {
  member: 'tags',
  schema: { type: 'object' },
  isRequired: false,
  note: 'Only SUTs with all these tags, such as rack=4,team=qa1.',
}

/** The parameters of an operation. */
export const queryFields = (operation: Operation): readonly Field[] => {
  const fields = fieldsIn(schemaOfQuery(operation))
  const named = fields.filter(({ member }) => member !== 'tag.')
  return named.length === fields.length ? named : [...named, TAGS]
}

/** A body that is a merge patch of tags is two options. */
const SET = { member: 'set', schema: { type: 'object' }, isRequired: false, note: 'Tags, such as rack=4,team=qa1.' }
const REMOVE = { member: 'remove', schema: { type: 'string' }, isRequired: false, note: 'Names of tags, with commas.' }
const PATCH: readonly Field[] = [SET, REMOVE]

/** The members of the body of an operation. */
export const bodyFields = (operation: Operation): readonly Field[] => {
  const schema = schemaOfBody(operation)
  return schema.propertyNames === undefined ? fieldsIn(withNotes(schema)) : PATCH
}

const admits = (schema: JsonSchema, type: string): boolean => {
  const { anyOf, oneOf } = schema as { anyOf?: readonly JsonSchema[]; oneOf?: readonly JsonSchema[] }
  const own = schema.type ?? typeof (schema.const ?? (schema.enum as readonly unknown[] | undefined)?.[0])
  return [own].flat().includes(type) || [...(anyOf ?? []), ...(oneOf ?? [])].some((each) => admits(each, type))
}

/** How an option is given. */
export const optionFor = ({ schema, isRequired, note }: Field): Option =>
  schema.const === true
    ? { type: 'boolean', note }
    : {
        ...{ type: 'string', note },
        ...(schema.type === 'array' && { multiple: true }),
        ...(isRequired && { isRequired }),
      }

/** What a text means as a value. What has no meaning stays a text, which the service names as wrong. @throws WrongUsage */
const readValue = ({ member, schema }: Field, typed: string): unknown => {
  if (admits(schema, 'string')) return typed
  if (member === 'quota') {
    const read = parseQuota(typed)
    if (E.isLeft(read)) throw new WrongUsage(`the quota ${read.left}`)
    return read.right
  }
  if (admits(schema, 'object') && !typed.startsWith('{') && typed !== 'null') {
    const read = parseScope(typed)
    if (E.isLeft(read)) throw new WrongUsage(`the ${optionOf(member)} ${read.left}`)
    return read.right
  }
  return parseJson(typed) ?? (typed === 'null' ? null : typed)
}

/** The members that were typed. @throws WrongUsage */
export const readBody = (
  fields: readonly Field[],
  options: Readonly<Record<string, OptionValue>>,
): Record<string, unknown> => {
  const typed = fields.flatMap((field) => {
    const value = options[optionOf(field.member)]
    if (typeof value !== 'string') return []
    if (field === SET) return Object.entries(readValue(TAGS, value) as object)
    if (field === REMOVE) return value.split(',').map((name) => [name, null] as const)
    return [[field.member, readValue(field, value)] as const]
  })
  return Object.fromEntries(typed)
}

/** The parameters that were typed. @throws WrongUsage */
export const readQuery = (
  fields: readonly Field[],
  options: Readonly<Record<string, OptionValue>>,
): URLSearchParams => {
  const query = new URLSearchParams()
  for (const field of fields) {
    const { member } = field
    const value = options[optionOf(member)]
    if (field === TAGS && typeof value === 'string') {
      for (const [tag, text] of Object.entries(readValue(TAGS, value) as object)) query.append(`tag.${tag}`, text)
    } else if (value !== undefined)
      for (const text of [value, ...textsOf(value)]) {
        if (typeof text !== 'object') query.append(member, String(text))
      }
  }
  return query
}
