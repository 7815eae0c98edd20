import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { boolean, integer } from '../../domain/codec/codec.ts'
import { type JsonSchema, schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { type Closed, closed, pathOf, UNKNOWN_MEMBER } from '../../domain/codec/object-codec.ts'
import type { Problem } from '../../domain/failure.ts'
import type { DecodeQuery } from '../protocol/route.ts'

/** Queries, and codecs of their parameters. */

export const inQuery = (name: string, detail: string): Problem => ({
  ...{ code: 'invalid', path: [name], in: 'query', detail },
})

/** Parameters as they are given, each once. */
export type Given = ReadonlyMap<string, string>
/** Problems between parameters that are valid by themselves. */
export type Rule = (given: Given) => readonly Problem[]

type Codecs = Readonly<Record<string, t.Mixed>>

interface Options<R extends Codecs, A, Q> {
  readonly required?: R
  readonly rules?: readonly Rule[]
  /** Makes what handlers get. */
  readonly make?: (read: A) => Q
}

/** Codecs of parameters that may be repeated. Their values are joined by commas. */
const repeatable = new WeakSet<t.Mixed>()

const problemOf = (error: t.ValidationError): Problem => {
  const detail = error.message === UNKNOWN_MEMBER ? 'is not a parameter of this route' : error.message
  return inQuery(pathOf(error).slice(0, 2).join(''), detail ?? 'is not valid')
}

/**
 * A query of these parameters, with codecs that take text. A name that ends with a dot is that of a family: its codec is
 * that of an object with the rest of their names.
 */
export const queryOf = <O extends Codecs, R extends Codecs = Record<never, never>, Q = Closed<R, O>>(
  optional: O,
  { required, rules = [], make }: Options<R, Closed<R, O>, Q> = {},
): DecodeQuery<Q> => {
  const codecs: Codecs = { ...required, ...optional }
  const codec = closed('query', required ?? ({} as R), optional)
  const families = Object.keys(codecs).filter((name) => name.endsWith('.'))
  const familyOf = (name: string): string | undefined => families.find((family) => name.startsWith(family))

  const toMembers = (given: Given): object => {
    const members = Map.groupBy(given, ([name]) => familyOf(name))
    const inFamilies = families.flatMap((family) => {
      const own = members.get(family)?.map(([name, value]) => [name.slice(family.length), value])
      return own === undefined ? [] : [[family, Object.fromEntries(own)]]
    })
    return Object.fromEntries([...(members.get(undefined) ?? []), ...inFamilies])
  }

  const decode: DecodeQuery<Q> = (query) => {
    const given = new Map<string, string>()
    const repeated = new Set<string>()
    for (const [name, value] of new URLSearchParams(query)) {
      const before = given.get(name)
      const isList = before !== undefined && codecs[name] !== undefined && repeatable.has(codecs[name])
      if (before !== undefined && !isList) repeated.add(name)
      else given.set(name, isList ? `${before},${value}` : value)
    }
    for (const name of repeated) given.delete(name)
    const read = codec.decode(toMembers(given))
    const problems = [
      ...[...repeated].map((name) => inQuery(name, 'is given more than once')),
      ...(E.isLeft(read) ? read.left.map(problemOf) : []),
      ...rules.flatMap((rule) => rule(given)),
    ]
    if (E.isLeft(read) || problems.length > 0) return E.left(problems)
    return E.right(make === undefined ? (read.right as Q) : make(read.right))
  }
  return withSchema(decode, () => schemaOf(codec))
}

/** What a route without parameters has. */
export const noQuery = queryOf({})

/** What a codec makes of a query. */
export type QueryOf<D> = D extends DecodeQuery<infer Q> ? Q : never

/** Some parameters cannot be given with others: each names the first of these that is given. */
export const apart =
  (names: readonly string[], ...others: readonly string[]): Rule =>
  (given) => {
    const other = others.find((name) => given.has(name))
    if (other === undefined) return []
    return names.filter((name) => given.has(name)).map((name) => inQuery(name, `cannot be combined with ${other}`))
  }

/** A codec of a parameter, which only decodes. */
export const parameter = <A>(
  read: (text: string, c: t.Context) => t.Validation<A>,
  schema: () => JsonSchema,
): t.Type<A, never, unknown> => {
  const fail = (): never => {
    throw new TypeError('a parameter is only ever decoded')
  }
  const is = (_: unknown): _ is A => fail()
  return withSchema(new t.Type<A, never, unknown>('parameter', is, (u, c) => read(String(u), c), fail), schema)
}

/** A codec for text that encodes another value. */
const written = <A>(codec: t.Type<A>, parse: (text: string) => unknown): t.Type<A, never, unknown> =>
  parameter(
    (text, c) => codec.validate(parse(text), c),
    () => schemaOf(codec),
  )

export const wholeNumber = (min: number, max: number): t.Type<number, never, unknown> =>
  written(integer(min, max), (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined))

export const yesOrNo: t.Type<boolean, never, unknown> = written(boolean, (text) => {
  if (text === 'true') return true
  return text === 'false' ? false : undefined
})

export const onlyTrue = parameter<true>(
  (text, c) => (text === 'true' ? t.success(true) : t.failure(text, c, 'must be true or omitted')),
  () => ({ type: 'boolean', const: true }),
)

/** A codec for words separated by commas, each once or more. */
export const wordsOf = <W extends string>(...words: readonly W[]): t.Type<ReadonlySet<W>, never, unknown> => {
  const isWord = (word: string): word is W => (words as readonly string[]).includes(word)
  const more = words.length > 1 ? ', or several of them, separated by commas' : ''
  return parameter(
    (text, c) => {
      const values = text.split(',')
      return values.every(isWord)
        ? t.success(new Set(values))
        : t.failure(text, c, `must be ${words.join(' or ')}${more}`)
    },
    () => ({ type: 'string', pattern: `^(?:${words.join('|')})(?:,(?:${words.join('|')}))*$` }),
  )
}

/** A codec for values of a parameter that may be repeated: they are joined by commas, which they do not have. */
export const several = <A>(codec: t.Type<A>, description: string, max = Number.POSITIVE_INFINITY) => {
  const values = parameter<readonly A[]>(
    (text, c) => {
      const parts = text.split(',')
      if (parts.length > max) return t.failure(text, c, `must be at most ${max} values`)
      const read = parts.map((part) => codec.validate(part, c))
      return read.find(E.isLeft) ?? t.success(read.flatMap((one) => (E.isRight(one) ? [one.right] : [])))
    },
    () => ({ type: 'array', items: schemaOf(codec), ...(Number.isFinite(max) && { maxItems: max }), description }),
  )
  repeatable.add(values)
  return values
}
