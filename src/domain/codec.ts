import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isOpaqueId } from './ids.ts'
import { type Instant, parseInstant } from './instant.ts'

/** What one field of a body or an event may hold, with the sentence that says so to whoever sent something else. */
const scalar = <A>(name: string, is: (u: unknown) => u is A, rule: string): t.Type<A> =>
  new t.Type(name, is, (u, c) => (is(u) ? t.success(u) : t.failure(u, c, rule)), t.identity)

/** The message of the error for a member that the codec does not know. */
export const UNKNOWN_MEMBER = 'is not known here'
/** The message of the error for a member that must be there and is not. */
export const MISSING_MEMBER = 'is required'

/** A whole number in a range, both ends included. */
export const integer = (min: number, max: number): t.Type<number> =>
  scalar(
    `integer(${min}, ${max})`,
    (u): u is number => Number.isSafeInteger(u) && (u as number) >= min && (u as number) <= max,
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number from ${min}`
      : `must be a whole number from ${min} to ${max}`,
  )

export const boolean: t.Type<boolean> = scalar(
  'boolean',
  (u): u is boolean => typeof u === 'boolean',
  'must be true or false',
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what these refuse
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

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
  )
}

export const oneOf = <A extends string>(...values: readonly A[]): t.Type<A> =>
  scalar(values.join('|'), (u): u is A => values.includes(u as A), `must be one of ${values.join(', ')}`)

export const opaqueId: t.Type<string> = scalar(
  'id',
  (u): u is string => typeof u === 'string' && isOpaqueId(u),
  'must be an id: 1 to 128 printable characters without /',
)

/** The codec's values, or null. Unlike io-ts's `union`, it leaves the path of an error as it is. */
export const orNull = <A>(codec: t.Type<A>): t.Type<A | null> =>
  new t.Type(
    `${codec.name} or null`,
    (u): u is A | null => u === null || codec.is(u),
    (u, c) => (u === null ? t.success(null) : codec.validate(u, c)),
    t.identity,
  )

/** A string that matches; `rule` finishes the sentence "the field ...". */
export const matching = (name: string, pattern: RegExp, rule: string): t.Type<string> =>
  scalar(name, (u): u is string => typeof u === 'string' && pattern.test(u), rule)

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const HOST_NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`)
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

const isIpv4 = (text: string): boolean => IPV4.test(text) && !/(^|\.)0\d/.test(text)
const isIpv6 = (text: string): boolean => /^[0-9A-Fa-f:.]+$/.test(text) && URL.canParse(`http://[${text}]/`)
// A name whose last label is a number can only be a mistyped IPv4 address (WHATWG URL, "ends in a number").
const isHostName = (text: string): boolean => HOST_NAME.test(text) && !/(^|\.)(\d+|0[xX][0-9A-Fa-f]*)$/.test(text)

/** A host name (RFC 1123) or an IP address. */
export const address: t.Type<string> = scalar(
  'address',
  (u): u is string => typeof u === 'string' && (isIpv4(u) || isIpv6(u) || isHostName(u)),
  'must be a host name or an IP address',
)

/** An RFC 3339 date-time on the wire, an Instant within. One way: answers are formatted from what was decided. */
export const instant: t.Type<Instant, never, unknown> = new t.Type(
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
    for (const key of Object.keys(u)) {
      const member = u[key]
      const codec = members.get(key)
      if (codec === undefined) {
        errors.push({ value: member, context: t.appendContext(c, key, t.never, member), message: UNKNOWN_MEMBER })
        continue
      }
      const read = codec.validate(member, t.appendContext(c, key, codec, member))
      if (E.isLeft(read)) errors.push(...read.left)
      else value[key] = read.right
    }
    for (const key of requiredNames) {
      if (Object.hasOwn(u, key)) continue
      const codec = members.get(key) as t.Mixed
      errors.push({ value: undefined, context: t.appendContext(c, key, codec, undefined), message: MISSING_MEMBER })
    }
    return errors.length === 0 ? t.success(value as Closed<R, O>) : t.failures(errors)
  }
  return new t.Type(name, (u): u is Closed<R, O> => E.isRight(validate(u, [])), validate, t.identity)
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
  return new t.Type(name, (u): u is Readonly<Record<string, A>> => E.isRight(validate(u, [])), validate, t.identity)
}

/** Where in the document an error lies, as member names from the outside in. */
export const pathOf = (error: t.ValidationError): readonly string[] => error.context.slice(1).map((entry) => entry.key)
