import * as E from 'fp-ts/lib/Either.js'
import type { Option, OptionValue } from '../../client/command.ts'
import { hasSchema, type JsonSchema, schemaOf } from '../../domain/codec/json-schema.ts'
import { parseQuota } from '../../domain/user/quota.ts'
import { parseScope } from '../../domain/user/scope.ts'
import { withNotes } from '../../http/documents/openapi/notes.ts'
import type { Route } from '../../http/protocol/route.ts'
import { WrongUsage } from '../terminal/command.ts'

type Form = JsonSchema & { readonly properties?: JsonSchema; readonly required?: readonly string[] }

/** One object with the members of all forms, of which those are required that every form requires. */
const merge = (forms: readonly Form[]): JsonSchema => ({
  type: 'object',
  properties: Object.assign({}, ...forms.map(({ properties }) => properties)),
  required: (forms[0]?.required ?? []).filter((member) =>
    forms.every(({ required = [] }) => required.includes(member)),
  ),
})

const schemaOfInput = (codec: Route['body'] | Route['query']): JsonSchema =>
  codec !== undefined && hasSchema(codec) ? schemaOf(codec) : {}

/** A member of the body or a parameter of the query, which an option gives. */
export interface Field {
  readonly member: string
  readonly place: 'body' | 'query'
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

const fieldsIn = (schema: JsonSchema, place: Field['place']): readonly Field[] => {
  const { properties = {}, required = [] } = schema as { properties?: Properties; required?: readonly string[] }
  return Object.entries(properties).map(([member, its]) => ({
    ...{ member, place, schema: its, isRequired: required.includes(member) },
    note: its.description as string | undefined,
  }))
}

const special = (member: string, place: Field['place'], note: string): Field => ({
  ...{ member, place, note, schema: { type: 'object' }, isRequired: false },
})

/** The family of parameters for tags, as one option. */
const TAGS = special('tags', 'query', 'Only SUTs with all these tags, such as rack=4,team=qa1.')
/** A body that is a merge patch of tags is two options. */
const SET = special('set', 'body', 'Tags, such as rack=4,team=qa1.')
const REMOVE = special('remove', 'body', 'Names of tags, with commas.')

/** The parameters and the members of the body of an operation. */
export const fieldsOf = (operation: Route): readonly Field[] => {
  const query = fieldsIn(schemaOfInput(operation.query), 'query').map((field) =>
    field.member === 'tag.' ? TAGS : field,
  )
  const { oneOf, ...own } = schemaOfInput(operation.body)
  const body = oneOf === undefined ? own : merge(oneOf as readonly Form[])
  return [...query, ...(body.propertyNames === undefined ? fieldsIn(withNotes(body), 'body') : [SET, REMOVE])]
}

const admits = (schema: JsonSchema, type: string): boolean => {
  const { anyOf, oneOf } = schema as { anyOf?: readonly JsonSchema[]; oneOf?: readonly JsonSchema[] }
  const own = schema.type ?? typeof (schema.const ?? (schema.enum as readonly unknown[] | undefined)?.[0])
  return [own].flat().includes(type) || [...(anyOf ?? []), ...(oneOf ?? [])].some((each) => admits(each, type))
}

export const optionFor = ({ schema, isRequired, note }: Field): Option =>
  schema.const === true
    ? { type: 'boolean', note }
    : {
        ...{ type: 'string', note },
        ...(schema.type === 'array' && { multiple: true }),
        ...(isRequired && { isRequired }),
      }

/** What a text means as JSON. What has no meaning stays a text, which the service names as wrong. */
const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** What a text means as a value. @throws WrongUsage */
const readValue = ({ member, schema }: Field, typed: string): unknown => {
  if (typed === 'null' && admits(schema, 'null')) return null
  if (admits(schema, 'string')) return typed
  if (admits(schema, 'array')) return typed.split(',')
  const isNames = admits(schema, 'object') && !typed.startsWith('{') && typed !== 'null'
  if (member !== 'quota' && !isNames) return parseJson(typed)
  const read: E.Either<string, unknown> = member === 'quota' ? parseQuota(typed) : parseScope(typed)
  if (E.isLeft(read)) throw new WrongUsage(`the ${optionOf(member)} ${read.left}`)
  return read.right
}

/** The parameters and the members of the body that were typed. @throws WrongUsage */
export const readFields = (fields: readonly Field[], options: Readonly<Record<string, OptionValue>>) => {
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const { member, place } = field
    const value = options[optionOf(member)]
    if (value === undefined) continue
    const texts = [value].flat().map(String)
    const named = (): object => readValue(TAGS, texts.join()) as object
    if (field === TAGS) for (const [tag, text] of Object.entries(named())) query.append(`tag.${tag}`, text)
    else if (field === SET) Object.assign(body, named())
    else if (field === REMOVE) for (const name of texts.join().split(',')) body[name] = null
    else if (place === 'query') for (const text of texts) query.append(member, text)
    else body[member] = readValue(field, texts.join())
  }
  return { query, body }
}
