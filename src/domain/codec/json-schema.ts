/** JSON Schemas (2020-12) that what reads values gives of itself: a document made of them cannot differ from the code. */

export type JsonSchema = { readonly [keyword: string]: unknown }

/** By codec, or by any other function or object that reads values. Made when it is asked for: most never are. */
const schemas = new WeakMap<object, () => JsonSchema>()

/** Says what a codec takes. */
export const withSchema = <C extends object>(codec: C, schema: () => JsonSchema): C => {
  schemas.set(codec, schema)
  return codec
}

/** Whether it says what it takes. */
export const hasSchema = (codec: object): boolean => schemas.has(codec)

/** @throws TypeError where the codec says nothing of itself */
export const schemaOf = (codec: object): JsonSchema => {
  const schema = schemas.get(codec)
  if (schema === undefined) {
    throw new TypeError(`${'name' in codec ? String(codec.name) : 'a codec'} does not say what it takes`)
  }
  return schema()
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

/** What means something else in other dialects, or nothing: with `\d` Python takes the digits of all scripts. */
const NOT_PORTABLE = /\\[wWsSDpPuxbB]/

/** The same pattern in terms that engines of every dialect read alike. */
export const toPortablePattern = (pattern: string): string => {
  const text = pattern.replaceAll('\\d', '[0-9]')
  if (NOT_PORTABLE.test(text)) throw new TypeError(`${text} is not read alike everywhere`)
  return text
}

/** The text of a regular expression for the keyword `pattern`, which takes no flags but that of whole code points. */
export const patternOf = ({ source, flags }: RegExp): string => {
  if (flags !== '' && flags !== 'u') throw new TypeError(`no pattern has the flags ${flags}`)
  // With that flag, which JSON Schema implies, a slash needs no escape; engines without it take the slash alone too.
  return toPortablePattern(source.replaceAll('\\/', '/'))
}
