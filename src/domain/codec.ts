import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { ADDRESS } from './address.ts'
import { isOpaqueId, OPAQUE_ID } from './ids.ts'
import { INSTANT_PATTERN, type Instant, parseInstant } from './instant.ts'
import { closedSchema, described, type JsonSchema, patternOf, schemaOf } from './json-schema.ts'

/** What one field of a body or an event may hold, with the sentence that says so to whoever sent something else. */
const scalar = <A>(name: string, is: (u: unknown) => u is A, rule: string, schema: () => JsonSchema): t.Type<A> =>
  described(new t.Type(name, is, (u, c) => (is(u) ? t.success(u) : t.failure(u, c, rule)), t.identity), schema)

/** The message of the error for a member that the codec does not know. */
export const UNKNOWN_MEMBER = 'is not known here'
/** The message of the error for a member that must be there and is not. */
export const MISSING_MEMBER = 'is required'

/** A whole number in a range, both ends included. */
export const integer = (min: number, max: number): t.Type<number> =>
  scalar(
    `integer(${min}, ${max})`,
    (u): u is number => Number.isSafeInteger(u) && (u as number) >= min && (u as number) <= max,
    `must be a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
    () => ({ type: 'integer', minimum: min, maximum: max }),
  )

export const boolean: t.Type<boolean> = scalar(
  'boolean',
  (u): u is boolean => typeof u === 'boolean',
  'must be true or false',
  () => ({ type: 'boolean' }),
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what these refuse
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** What has none of these characters, and no lone surrogates. */
const takenBy = ({ source }: RegExp): string => `^[^${source.slice(1, -1)}\\ud800-\\udfff]*$`

/** Text of `min` to `max` code points without control characters; `lines` lets line breaks and tabs through. */
export const text = (min: number, max: number, options: { lines?: boolean } = {}): t.Type<string> => {
  const refused = options.lines ? CONTROL_BUT_LINES : CONTROL
  const except = options.lines ? ' other than line breaks and tabs' : ''
  return scalar(
    `text(${min}, ${max})`,
    (u): u is string =>
      typeof u === 'string' &&
      u.length >= min &&
      u.length <= 2 * max &&
      (u.length <= max || [...u].length <= max) &&
      !refused.test(u) &&
      u.isWellFormed(),
    `must be a string of ${min === 0 ? 'at most' : `${min} to`} ${max} characters, without control characters${except} or lone surrogates`,
    () => ({ type: 'string', minLength: min, maxLength: max, pattern: takenBy(refused) }),
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

/** The codec's values, or null. Unlike io-ts's `union`, it leaves the path of an error as it is. */
export const orNull = <A>(codec: t.Type<A>): t.Type<A | null> =>
  described(
    new t.Type(
      `${codec.name} or null`,
      (u): u is A | null => u === null || codec.is(u),
      (u, c) => (u === null ? t.success(null) : codec.validate(u, c)),
      t.identity,
    ),
    () => ({ anyOf: [schemaOf(codec), { type: 'null' }] }),
  )

/** A list of such values. */
export const listOf = <A>(codec: t.Type<A>): t.Type<readonly A[], unknown, unknown> =>
  described(t.readonlyArray(codec), () => ({ type: 'array', items: schemaOf(codec) }))

/** A string that matches; `rule` finishes the sentence "the field ...". */
export const matching = (name: string, pattern: RegExp, rule: string): t.Type<string> =>
  scalar(
    name,
    (u): u is string => typeof u === 'string' && pattern.test(u),
    rule,
    () => ({ type: 'string', pattern: patternOf(pattern) }),
  )

/** A host name (RFC 1123) or an IP address. */
export const address: t.Type<string> = matching('address', ADDRESS, 'must be a host name or an IP address')

/** An RFC 3339 date-time on the wire, an Instant within. One way: answers are formatted from what was decided. */
export const instant: t.Type<Instant, never, unknown> = described(
  new t.Type<Instant, never, unknown>(
    'instant',
    (u): u is Instant => typeof u === 'object' && u !== null && 'epochNanoseconds' in u,
    (u, c) => {
      if (typeof u !== 'string') return t.failure(u, c, 'must be a string with an RFC 3339 date-time')
      const read = parseInstant(u)
      return E.isRight(read) ? t.success(read.right) : t.failure(u, c, read.left)
    },
    () => {
      throw new TypeError('an Instant is only ever read')
    },
  ),
  () => ({ type: 'string', format: 'date-time', pattern: INSTANT_PATTERN }),
)

const NO_OBJECT = 'must be a JSON object'
const isObject = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

type Fields = Readonly<Record<string, t.Mixed>>
export type Closed<R extends Fields, O extends Fields> = { readonly [K in keyof R]: t.TypeOf<R[K]> } & {
  readonly [K in keyof O]?: t.TypeOf<O[K]>
}

/**
 * A JSON object of exactly these members. Unlike io-ts's own `strict`, which drops a member it does not know, this one
 * refuses it, and it reports every problem of every member at once.
 */
export const closed = <R extends Fields, O extends Fields>(
  name: string,
  required: R,
  optional: O,
): t.Type<Closed<R, O>, unknown, unknown> => {
  const members = new Map<string, t.Mixed>([...Object.entries(required), ...Object.entries(optional)])
  const requiredNames = Object.keys(required)
  const validate: t.Validate<unknown, Closed<R, O>> = (u, c) => {
    if (!isObject(u)) return t.failure(u, c, NO_OBJECT)
    const errors: t.ValidationError[] = []
    const value: Record<string, unknown> = {}
    const at = (key: string, codec: t.Decoder<unknown, unknown>): t.Context => t.appendContext(c, key, codec, u[key])
    for (const key of Object.keys(u)) {
      const codec = members.get(key)
      // Where it lies is worked out only for what is wrong.
      const read = codec?.validate(u[key], c)
      if (codec === undefined) errors.push({ value: u[key], context: at(key, t.never), message: UNKNOWN_MEMBER })
      else if (read && E.isRight(read)) value[key] = read.right
      else {
        const located = codec.validate(u[key], at(key, codec))
        if (E.isLeft(located)) errors.push(...located.left)
      }
    }
    for (const key of requiredNames) {
      if (Object.hasOwn(u, key)) continue
      errors.push({ value: undefined, context: at(key, members.get(key) as t.Mixed), message: MISSING_MEMBER })
    }
    return errors.length === 0 ? t.success(value as Closed<R, O>) : t.failures(errors)
  }
  const codec = new t.Type(name, (u): u is Closed<R, O> => E.isRight(validate(u, [])), validate, t.identity)
  return described(codec, () => closedSchema(required, optional))
}

/**
 * A JSON object whose members all have such a name and such a value. io-ts's own `record` leaves out a member with
 * another name without a word; this one refuses it.
 */
export const dictionary = <A>(
  name: string,
  names: t.Type<string>,
  values: t.Type<A>,
): t.Type<Readonly<Record<string, A>>, unknown, unknown> => {
  const validate: t.Validate<unknown, Readonly<Record<string, A>>> = (u, c) => {
    if (!isObject(u)) return t.failure(u, c, NO_OBJECT)
    const errors: t.ValidationError[] = []
    const members: [string, A][] = []
    for (const [key, member] of Object.entries(u)) {
      const named = names.validate(key, t.appendContext(c, key, names, key))
      const read = values.validate(member, t.appendContext(c, key, values, member))
      if (E.isLeft(named)) errors.push(...named.left)
      if (E.isLeft(read)) errors.push(...read.left)
      else members.push([key, read.right])
    }
    return errors.length === 0 ? t.success(Object.fromEntries(members)) : t.failures(errors)
  }
  const is = (u: unknown): u is Readonly<Record<string, A>> => E.isRight(validate(u, []))
  return described(new t.Type(name, is, validate, t.identity), () => ({
    type: 'object',
    propertyNames: schemaOf(names),
    additionalProperties: schemaOf(values),
  }))
}

/** Where in the document an error lies, as member names from the outside in. */
export const pathOf = (error: t.ValidationError): readonly string[] => error.context.slice(1).map((entry) => entry.key)
