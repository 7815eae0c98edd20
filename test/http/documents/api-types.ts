import { writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import type { JsonSchema } from '../../../src/domain/codec/json-schema.ts'
import { openApi } from '../../../src/http/documents/openapi/openapi.ts'
import { routes } from '../../../src/http/routes.ts'

/** Makes the types of requests and answers again: `node test/http/documents/api-types.ts`. */

const FILE = new URL('../../../src/web/service/berth-api.d.ts', import.meta.url)

// The generator needs the API of the compiler, which TypeScript 7 does not have.
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) })

/** What openapi-typescript says of what there is not, and comments, which the document has. */
const NOISE =
  /^ *\/\*\*[\s\S]*?\*\/\n|^ *readonly \w+\?: never;\n|^ *headers: \{\n.*\n *\};\n|^ *readonly parameters: \{\n( *readonly \w+\?: never;\n)*\s*\};\n/gm

type Schemas = Readonly<Record<string, JsonSchema>>
interface Operation extends JsonSchema {
  readonly parameters: readonly { readonly in?: string }[]
  readonly responses: Readonly<Record<string, { readonly content?: JsonSchema }>>
}

/** Of an event: the envelope once, then what differs. */
const eventOf = (schema: JsonSchema): JsonSchema => {
  const each = schema.oneOf as readonly { readonly properties: Schemas; readonly required: readonly string[] }[]
  const { type: _type, data: _data, ...properties } = each[0]?.properties ?? {}
  const required = each[0]?.required.filter((name) => name in properties)
  const pairs = each.map(({ properties: { type, data } }) => ({
    ...{ type: 'object', properties: { type, data }, required: ['type', 'data'] },
  }))
  return { allOf: [{ type: 'object', properties, required }, { oneOf: pairs }] }
}

/** What is asked for and answered: no refusals, which are all `Problem`, and no header fields. */
const operationOf = ({ parameters, requestBody, responses }: Operation) => ({
  parameters: parameters.filter((parameter) => parameter.in !== undefined),
  requestBody,
  responses: Object.fromEntries(
    Object.entries(responses).flatMap(([status, { content }]) => (content ? [[status, { content }]] : [])),
  ),
})

const valuesOf = <A, B>(object: Readonly<Record<string, A>>, to: (value: A) => B): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, to(value)]))

export const apiTypes = async (): Promise<string> => {
  const { default: generate, astToString } = await import('openapi-typescript')
  const { paths, components, ...document } = JSON.parse(JSON.stringify(openApi(routes, '', [])))
  const { Event, HistoryEvent, ...schemas } = components.schemas
  const asked = Object.entries(paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>).filter(
    ([path]) => path.startsWith('/api/'),
  )
  const text = astToString(
    await generate(
      {
        ...document,
        paths: valuesOf(Object.fromEntries(asked), (item) => valuesOf(item, operationOf)),
        components: { schemas: { ...schemas, Event: eventOf(Event), HistoryEvent: eventOf(HistoryEvent) } },
      },
      { alphabetize: true, immutable: true },
    ),
  )
  return `// Made by test/http/documents/api-types.ts from /openapi.json.\n${text.replaceAll(NOISE, '')}`
}

if (import.meta.main) await writeFile(FILE, await apiTypes())
