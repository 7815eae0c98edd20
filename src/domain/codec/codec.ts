import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { ADDRESS, ADDRESS_LENGTH_MAX } from '../values/address.ts'
import { CONTROL, CONTROL_BUT_LINES, classExcluding } from '../values/characters.ts'
import { isOpaqueId, OPAQUE_ID } from '../values/ids.ts'
import { INSTANT_PATTERN, type OffsetTime, parseOffsetTime } from '../values/instant.ts'
import { type JsonSchema, patternOf, schemaOf, toPortablePattern, withSchema } from './json-schema.ts'

const plainCodecs = new WeakSet<t.Mixed>()

/** Marks a codec that returns its input unchanged. If its `is` accepts a value, validation can be skipped. */
export const markPlain = <C extends t.Mixed>(codec: C): C => {
  plainCodecs.add(codec)
  return codec
}

export const isPlain = (codec: t.Mixed): boolean => plainCodecs.has(codec)

/** A codec for a single field, with the error message for invalid values. */
export const scalar = <A>(
  name: string,
  is: (u: unknown) => u is A,
  rule: string,
  schema: () => JsonSchema,
): t.Type<A> => {
  const codec = new t.Type(name, is, (u, c) => (is(u) ? t.success(u) : t.failure(u, c, rule)), t.identity)
  return markPlain(withSchema(codec, schema))
}

const isWhole = (u: unknown, min: number, max: number): u is number =>
  typeof u === 'number' && Number.isSafeInteger(u) && u >= min && u <= max

export const integer = (min: number, max: number): t.Type<number> =>
  scalar(
    `integer(${min}, ${max})`,
    (u): u is number => isWhole(u, min, max),
    `must be a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
    () => ({ type: 'integer', minimum: min, maximum: max }),
  )

/** A multiple of a whole number, or of a power of a half. */
export const multipleOf = (step: number, min: number, max: number): t.Type<number> =>
  scalar(
    `multiple of ${step} (${min}, ${max})`,
    (u): u is number => typeof u === 'number' && Number.isInteger(u / step) && u >= min && u <= max,
    `must be a multiple of ${step} from ${min} to ${max}`,
    () => ({ type: Number.isInteger(step) ? 'integer' : 'number', minimum: min, maximum: max, multipleOf: step }),
  )

export const zeroOr = (min: number, max: number): t.Type<number> =>
  scalar(
    `0 or integer(${min}, ${max})`,
    (u): u is number => u === 0 || isWhole(u, min, max),
    `must be 0 or a whole number from ${min} to ${max}`,
    () => ({ anyOf: [{ const: 0 }, { type: 'integer', minimum: min, maximum: max }] }),
  )

/** A whole number of units, rounded up to a multiple. */
export const roundedUp = (step: number, min: number, max: number): t.Type<number> => {
  const exact = integer(min, max)
  const round = new t.Type(
    `${exact.name}, rounded up to a multiple of ${step}`,
    exact.is,
    (u, c) => {
      const read = exact.validate(u, c)
      return E.isLeft(read) ? read : t.success(Math.ceil(read.right / step) * step)
    },
    t.identity,
  )
  return withSchema(round, () => schemaOf(exact))
}

export const boolean: t.Type<boolean> = scalar(
  'boolean',
  (u): u is boolean => typeof u === 'boolean',
  'must be true or false',
  () => ({ type: 'boolean' }),
)

/** Patterns as they are documented: the source of a RegExp escapes line breaks. */
const ONE_LINE = `^[${classExcluding(CONTROL)}]*$`
const LINES = `^[${classExcluding(CONTROL_BUT_LINES)}]*$`

/** Text of `min` to `max` code points without control characters. `lines` allows line breaks and tabs. */
export const text = (min: number, max: number, options: { lines?: boolean } = {}): t.Type<string> => {
  const pattern = options.lines ? LINES : ONE_LINE
  const allowed = new RegExp(pattern, 'u')
  const except = options.lines ? ' other than line breaks and tabs' : ''
  return scalar(
    `text(${min}, ${max})`,
    (u): u is string =>
      typeof u === 'string' &&
      u.length >= min &&
      u.length <= 2 * max &&
      (u.length <= max || [...u].length <= max) &&
      allowed.test(u),
    `must be a string of ${min === 0 ? 'at most' : `${min} to`} ${max} characters, without control characters${except} or lone surrogates`,
    () => ({ type: 'string', minLength: min, maxLength: max, pattern }),
  )
}

export const oneOf = <A extends string>(...values: readonly A[]): t.Type<A> =>
  scalar(
    values.join('|'),
    (u): u is A => values.includes(u as A),
    `must be one of ${values.join(', ')}`,
    () => ({ type: 'string', enum: values }),
  )

export const opaqueId: t.Type<string> = scalar(
  'id',
  (u): u is string => typeof u === 'string' && isOpaqueId(u),
  'must be an id: 1 to 128 printable characters without /',
  () => ({ type: 'string', pattern: patternOf(OPAQUE_ID) }),
)

/** The codec's values, or null. Unlike io-ts's `union`, it keeps the error path. */
export const orNull = <A, O>(codec: t.Type<A, O>): t.Type<A | null, O | null> => {
  const nullable = withSchema(
    new t.Type<A | null, O | null>(
      `${codec.name} or null`,
      (u): u is A | null => u === null || codec.is(u),
      (u, c) => (u === null ? t.success(null) : codec.validate(u, c)),
      (a) => (a === null ? null : codec.encode(a)),
    ),
    () => ({ anyOf: [schemaOf(codec), { type: 'null' }] }),
  )
  return isPlain(codec) ? markPlain(nullable) : nullable
}

export const described = <A, O>(codec: t.Type<A, O>, description: string): t.Type<A, O> =>
  withSchema(new t.Type(codec.name, codec.is, codec.validate, codec.encode), () => ({
    ...schemaOf(codec),
    description,
  }))

export const anything: t.Type<unknown> = markPlain(new t.Type('anything', t.unknown.is, t.success, t.identity))

export const listOf = <A>(codec: t.Type<A, unknown, unknown>): t.Type<readonly A[], unknown, unknown> =>
  withSchema(t.readonlyArray(codec), () => ({ type: 'array', items: schemaOf(codec) }))

/** An array of 1 to `max` values. `what` names them. */
export const rowsOf = <A>(
  codec: t.Type<A, unknown, unknown>,
  max: number,
  what: string,
): t.Type<readonly A[], unknown, unknown> => {
  const rows = t.readonlyArray(codec)
  const rule = `must be an array of 1 to ${max} ${what}`
  const fits = (u: unknown): boolean => Array.isArray(u) && u.length > 0 && u.length <= max
  return withSchema(
    new t.Type(what, rows.is, (u, c) => (fits(u) ? rows.validate(u, c) : t.failure(u, c, rule)), t.identity),
    () => ({ type: 'array', minItems: 1, maxItems: max, items: schemaOf(codec) }),
  )
}

/** A string that matches a pattern, of at most `max` characters. `rule` completes the sentence "the field ...". */
export const matching = (name: string, pattern: RegExp, rule: string, max?: number): t.Type<string> =>
  scalar(
    name,
    (u): u is string => typeof u === 'string' && (max === undefined || u.length <= max) && pattern.test(u),
    rule,
    () => ({ type: 'string', ...(max !== undefined && { maxLength: max }), pattern: patternOf(pattern) }),
  )

/** A host name (RFC 1123) or an IP address. */
export const address: t.Type<string> = matching(
  'address',
  ADDRESS,
  'must be a host name or an IP address',
  ADDRESS_LENGTH_MAX,
)

/** What a text says, which is only ever read. `parse` refuses with what completes the sentence "the field ...". */
export const parsed = <A>(
  name: string,
  parse: (text: string) => E.Either<string, A>,
  notText: string,
  schema: () => JsonSchema,
): t.Type<A, never, unknown> => {
  const codec = new t.Type<A, never, unknown>(
    name,
    (u): u is A => typeof u !== 'string',
    (u, c) => {
      const read = typeof u === 'string' ? parse(u) : E.left(notText)
      return E.isRight(read) ? t.success(read.right) : t.failure(u, c, read.left)
    },
    () => {
      throw new TypeError(`${name} cannot be written`)
    },
  )
  return withSchema(codec, schema)
}

/** An RFC 3339 date-time. Responses are formatted from decided values. */
export const instant = parsed<OffsetTime>(
  'instant',
  parseOffsetTime,
  'must be a string with an RFC 3339 date-time',
  () => ({ type: 'string', format: 'date-time', pattern: toPortablePattern(INSTANT_PATTERN) }),
)
