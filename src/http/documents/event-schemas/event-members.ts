import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import { type EventType, factsOf } from '../../../domain/event.ts'
import { noteOn } from '../../../domain/events/notes.ts'

/** Descriptions and examples of the members of events, out of their declarations. */

type Members = Readonly<Record<string, JsonSchema>>

const membersOf = ({ properties }: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  Object.entries((properties ?? {}) as Members)

/** Adds the descriptions of all members, however deep. */
export const withMemberNotes = (type: EventType, schema: JsonSchema, path = ''): JsonSchema => {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const inner = (one: JsonSchema): JsonSchema => withMemberNotes(type, one, path)
  const { items, anyOf } = schema
  return {
    ...schema,
    ...('properties' in schema && {
      properties: Object.fromEntries(
        membersOf(schema).map(([name, member]) => [
          name,
          { description: noteOn(type, at(name))?.[0], ...withMemberNotes(type, member, at(name)) },
        ]),
      ),
    }),
    ...(items !== undefined && { items: inner(items as JsonSchema) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as readonly JsonSchema[]).map(inner) }),
  }
}

/** An example of what a schema of events describes: of each member, together. */
export const exampleOf = (type: EventType, schema: JsonSchema, path = ''): unknown => {
  const example = noteOn(type, path)?.[1]
  if (example !== undefined) return example
  const { items, anyOf, enum: values } = schema
  if (values !== undefined) return (values as readonly unknown[])[0]
  if (schema.type === 'boolean') return true
  if (anyOf !== undefined) return exampleOf(type, (anyOf as readonly JsonSchema[])[0] as JsonSchema, path)
  if (items !== undefined) return [exampleOf(type, items as JsonSchema, path)]
  const left = path === '' ? factsOf(type).notInExample : undefined
  return Object.fromEntries(
    membersOf(schema)
      .filter(([name]) => name !== left)
      .map(([name, member]) => [name, exampleOf(type, member, path === '' ? name : `${path}.${name}`)]),
  )
}
