/** Makes the types of requests and answers again: `node test/http/documents/api-types.ts`. */

import { writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import type { JsonSchema } from '../../../src/domain/codec/json-schema.ts'
import { openApi } from '../../../src/http/documents/openapi/openapi.ts'
import { routes } from '../../../src/http/routes.ts'

const FILE = new URL('../../../src/web/service/berth-api.d.ts', import.meta.url)

// The generator needs the API of the compiler, which TypeScript 7 does not have.
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) })

/** What openapi-typescript says of what there is not, and comments, which the document has. */
const NOISE =
  /^ *\/\*\*[\s\S]*?\*\/\n|^ *readonly \w+\?: never;\n|^ *headers: \{\n.*\n *\};\n|^ *readonly parameters: \{\n( *readonly \w+\?: never;\n)*\s*\};\n/gm

const without = (object: object, isLeftOut: (name: string) => boolean): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !isLeftOut(name)))

/** Events: the envelope once, then what differs. */
const eventsOf = (schemas: readonly { readonly properties: JsonSchema; readonly required: readonly string[] }[]) => {
  const properties = without(schemas[0]?.properties ?? {}, (name) => name === 'type' || name === 'data')
  const required = schemas[0]?.required.filter((name) => name in properties)
  const pairs = schemas.map(({ properties: { type, data } }) => ({
    ...{ type: 'object', properties: { type, data }, required: ['type', 'data'] },
  }))
  return { allOf: [{ type: 'object', properties, required }, { oneOf: pairs }] }
}

/** A part of the document. Header fields are left out, and refusals, which are all `Problem`. */
const simplified = (name: string, part: unknown): unknown => {
  if (name === 'headers' || name === 'operationId') return undefined
  if (name === 'paths') return without(part as object, (path) => !path.startsWith('/api/'))
  if (name === 'responses') return without(part as object, (status) => !/^20/.test(status))
  if (name === 'parameters' && Array.isArray(part)) return part.filter((parameter) => parameter.in !== undefined)
  return name.endsWith('Event') ? eventsOf((part as JsonSchema).oneOf as never) : part
}

export const apiTypes = async (): Promise<string> => {
  const { default: generate, astToString } = await import('openapi-typescript')
  const document = JSON.parse(JSON.stringify(openApi(routes, '', [])), simplified)
  document.components = { schemas: document.components.schemas }
  const text = astToString(await generate(document, { alphabetize: true, immutable: true }))
  return `// Made by test/http/documents/api-types.ts from /openapi.json.\n${text.replaceAll(NOISE, '')}`
}

if (import.meta.main) await writeFile(FILE, await apiTypes())
