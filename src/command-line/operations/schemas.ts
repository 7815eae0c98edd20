import { hasSchema, type JsonSchema, schemaOf } from '../../domain/codec/json-schema.ts'
import { answerSchemas } from '../../http/documents/openapi/answers.ts'
import type { Operation } from '../../http/protocol/route.ts'

/** What the codecs of an operation say of its input and its answer. */

type Form = JsonSchema & { readonly properties?: JsonSchema; readonly required?: readonly string[] }

/** One object with the members of all forms, of which those are required that every form requires. */
const merge = (forms: readonly Form[]): JsonSchema => ({
  type: 'object',
  properties: Object.assign({}, ...forms.map(({ properties }) => properties)),
  required: (forms[0]?.required ?? []).filter((member) =>
    forms.every(({ required = [] }) => required.includes(member)),
  ),
})

export const schemaOfBody = ({ body }: Operation): JsonSchema => {
  const schema = body !== undefined && hasSchema(body) ? schemaOf(body) : {}
  return schema.oneOf === undefined ? schema : merge(schema.oneOf as readonly Form[])
}

export const schemaOfQuery = ({ query }: Operation): JsonSchema =>
  query !== undefined && hasSchema(query) ? schemaOf(query) : {}

const resolved = (schema: JsonSchema): JsonSchema => {
  const { $ref, anyOf } = schema as { $ref?: string; anyOf?: readonly JsonSchema[] }
  if (anyOf?.[0] !== undefined) return resolved(anyOf[0])
  return $ref === undefined ? schema : (answerSchemas[$ref.split('/').at(-1) ?? ''] ?? {})
}

/** The members that an answer may have. */
export const membersOfAnswer = ({ answer }: Operation): ReadonlySet<string> =>
  new Set(Object.keys(resolved(answer).properties ?? {}))

/** A list in an answer: its member, and the members of what it lists. */
export interface AnsweredList {
  readonly name: string
  readonly columns: readonly string[]
  /** Whether what comes after an object of it is asked for by the id of that. */
  readonly isPaged: boolean
}

/** Columns that come last. */
const TIMES = ['created_at', 'updated_at']

/** The list of an answer that has nothing else. */
export const listOfAnswer = (operation: Operation): AnsweredList | undefined => {
  const { properties = {} } = resolved(operation.answer) as { properties?: Readonly<Record<string, JsonSchema>> }
  const envelope = 'limit' in properties ? ['limit', 'count', 'offset', 'next'] : []
  const others = Object.keys(properties).filter((member) => !envelope.includes(member))
  const [name = ''] = others
  const { type, items } = properties[name] ?? {}
  if (operation.method === 'POST' || others.length !== 1 || type !== 'array') return undefined
  const members = new Set(Object.keys(resolved(items as JsonSchema).properties ?? {}))
  const [first, last] = [['_id', 'name'], TIMES].map((some) => some.filter((member) => members.has(member)))
  const columns = [
    ...new Set([...(first ?? []), ...members].filter((member) => !TIMES.includes(member))),
    ...(last ?? []),
  ]
  const { properties: parameters = {} } = schemaOfQuery(operation)
  return { name, columns, isPaged: members.has('_id') && 'before' in (parameters as object) }
}
