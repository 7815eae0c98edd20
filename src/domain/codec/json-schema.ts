/** JSON Schemas (2020-12) generated from the codecs, so the documents cannot drift from the code. */

export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * Schemas by codec, or by any other function or object that decodes values. Built on demand, since most are never
 * needed.
 */
const schemas = new WeakMap<object, () => JsonSchema>()

export const withSchema = <C extends object>(codec: C, schema: () => JsonSchema): C => {
  schemas.set(codec, schema)
  return codec
}

export const hasSchema = (codec: object): boolean => schemas.has(codec)

/**
 * The schema of a codec. A schema that is written out stands for itself.
 *
 * @throws TypeError if the codec has no schema
 */
export const schemaOf = (codec: object): JsonSchema => {
  const schema = schemas.get(codec)
  if (schema !== undefined) return schema()
  if ('name' in codec) throw new TypeError(`${codec.name} has no schema`)
  return codec as JsonSchema
}

const schemasOf = (codecs: Readonly<Record<string, object>>): JsonSchema =>
  Object.fromEntries(Object.entries(codecs).map(([name, codec]) => [name, schemaOf(codec)]))

/** An object of exactly these members. */
export const closedSchema = (
  required: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
): JsonSchema => ({
  type: 'object',
  properties: schemasOf({ ...required, ...optional }),
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
  additionalProperties: false,
})

/** As readers should take a schema: members may be added to what it describes, so they must not refuse others. */
export const opened = (schema: JsonSchema): JsonSchema => {
  const open = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(open)
    return typeof value === 'object' && value !== null ? opened(value as JsonSchema) : value
  }
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) =>
      keyword === 'additionalProperties' && value === false ? [] : [[keyword, open(value)]],
    ),
  )
}

/** Escapes that differ between dialects or do not exist in some. In Python, `\d` matches digits of all scripts. */
const NOT_PORTABLE = /\\[wWsSDpPuxbB]/

/** Rewrites a pattern so that all dialects read it alike. */
export const toPortablePattern = (pattern: string): string => {
  const text = pattern.replaceAll('\\d', '[0-9]')
  if (NOT_PORTABLE.test(text)) throw new TypeError(`${text} is not portable`)
  return text
}

/** The source of a regular expression for the keyword `pattern`, which allows no flag but `u`. */
export const patternOf = ({ source, flags }: RegExp): string => {
  if (flags !== '' && flags !== 'u') throw new TypeError(`unsupported pattern flags: ${flags}`)
  // With `u`, which JSON Schema implies, a slash needs no escape. Engines without it accept a bare slash too.
  return toPortablePattern(source.replaceAll('\\/', '/'))
}
