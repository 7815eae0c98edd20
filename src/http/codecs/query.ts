/** Queries, and codecs of their parameters. */

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { boolean, integer, parsed } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { type Closed, closed, pathOf, UNKNOWN_MEMBER } from '../../domain/codec/object-codec.ts'
import { type Failure, invalid, type Problem } from '../../domain/failure.ts'
import type { DecodeQuery } from '../protocol/route.ts'

export const inQuery = (name: string, detail: string): Problem => ({
  ...{ code: 'invalid', path: [name], in: 'query', detail },
})

/** Refuses a request for one of its parameters. */
export const refuseParameter = (name: string, detail: string): E.Either<Failure, never> =>
  E.left(invalid([inQuery(name, detail)]))

/** Parameters as they are given, each once. */
export type Given = ReadonlyMap<string, string>
/** Problems between parameters that are valid by themselves. */
export type Rule = (given: Given) => readonly Problem[]

type Codecs = Readonly<Record<string, t.Mixed>>

/** Codecs of parameters that may be repeated. Their values are joined by commas. */
const repeatable = new WeakSet<t.Mixed>()

const problemOf = (error: t.ValidationError): Problem => {
  const detail = error.message === UNKNOWN_MEMBER ? 'is not a parameter of this route' : error.message
  return inQuery(pathOf(error).slice(0, 2).join(''), detail ?? 'is not valid')
}

/** What the names of tags begin with. The codec of this member is that of an object with the rest of their names. */
export const TAG = 'tag.'

/** A query of these parameters, with codecs that take text. */
export const queryOf = <O extends Codecs, R extends Codecs = Record<never, never>>(
  optional: O,
  { required, rules = [] }: { readonly required?: R; readonly rules?: readonly Rule[] } = {},
): DecodeQuery<Closed<R, O>> => {
  const codecs: Codecs = { ...required, ...optional }
  const codec = closed('query', required ?? ({} as R), optional)
  const isTag = ([name]: readonly [string, string]): boolean => TAG in codecs && name.startsWith(TAG)

  const toMembers = (given: Given): object => {
    const tags = [...given].filter(isTag).map(([name, value]) => [name.slice(TAG.length), value] as const)
    const others = [...given].filter((parameter) => !isTag(parameter))
    return Object.fromEntries(tags.length === 0 ? others : [...others, [TAG, Object.fromEntries(tags)]])
  }

  const decode: DecodeQuery<Closed<R, O>> = (query) => {
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
    return E.isLeft(read) || problems.length > 0 ? E.left(problems) : read
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

export const detailOf = (errors: t.Errors): string => errors[0]?.message ?? 'is not valid'

/** A codec for text that encodes another value. */
const written = <A>(codec: t.Type<A>, parse: (text: string) => unknown): t.Type<A, never, unknown> =>
  parsed(
    codec.name,
    (text) => E.mapLeft(detailOf)(codec.decode(parse(text))),
    'must be a text',
    () => schemaOf(codec),
  )

export const wholeNumber = (min: number, max: number): t.Type<number, never, unknown> =>
  written(integer(min, max), (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined))

export const yesOrNo: t.Type<boolean, never, unknown> = written(boolean, (text) => {
  if (text === 'true') return true
  return text === 'false' ? false : undefined
})

const MUST_BE_TRUE = 'must be true or omitted'
export const onlyTrue = parsed<true>(
  'true',
  (text) => (text === 'true' ? E.right(true) : E.left(MUST_BE_TRUE)),
  MUST_BE_TRUE,
  () => ({ type: 'boolean', const: true }),
)

/** A codec for words separated by commas, each once or more. */
export const wordsOf = <W extends string>(...words: readonly W[]): t.Type<ReadonlySet<W>, never, unknown> => {
  const isWord = (word: string): word is W => (words as readonly string[]).includes(word)
  const rule = `must be ${words.join(' or ')}${words.length > 1 ? ', or several of them, separated by commas' : ''}`
  return parsed(
    'words',
    (text) => {
      const values = text.split(',')
      return values.every(isWord) ? E.right(new Set(values)) : E.left(rule)
    },
    rule,
    () => ({ type: 'string', pattern: `^(?:${words.join('|')})(?:,(?:${words.join('|')}))*$` }),
  )
}

/** A codec for values of a parameter that may be repeated: they are joined by commas, which they do not have. */
export const several = <A>(codec: t.Type<A>, description: string, max = Number.POSITIVE_INFINITY) => {
  const rule = `must be at most ${max} values`
  const values = parsed<readonly A[]>(
    `several ${codec.name}`,
    (text) => {
      const parts = text.split(',')
      return parts.length > max ? E.left(rule) : E.mapLeft(detailOf)(t.readonlyArray(codec).decode(parts))
    },
    rule,
    () => ({ type: 'array', items: schemaOf(codec), ...(Number.isFinite(max) && { maxItems: max }), description }),
  )
  repeatable.add(values)
  return values
}
