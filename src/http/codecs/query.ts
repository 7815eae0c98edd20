import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { boolean, integer } from '../../domain/codec/codec.ts'
import { hasSchema, type JsonSchema, schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { closed, dictionary, pathOf, UNKNOWN_MEMBER } from '../../domain/codec/object-codec.ts'
import type { Problem } from '../../domain/failure.ts'
import type { DecodeQuery, Parameters } from '../protocol/route.ts'

/** Codecs of query parameters. */

export const inQuery = (name: string, detail: string): Problem => ({
  code: 'invalid',
  path: [name],
  in: 'query',
  detail,
})

/** The names in a query. */
export const namesIn = (query: string): readonly string[] => [...new URLSearchParams(query).keys()]

/** The codec of a route without query parameters. */
export const noQuery: DecodeQuery<undefined> = (parameters) => {
  const unknown = [...parameters.keys()].map((name) => inQuery(name, 'is not a parameter of this route'))
  return unknown.length === 0 ? E.right(undefined) : E.left(unknown)
}

/** The parameters that take several values. They are joined by commas. */
const takingSeveral = (decode: DecodeQuery<unknown>): readonly string[] => {
  const { properties = {} } = hasSchema(decode) ? schemaOf(decode) : {}
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, { type }]) =>
    type === 'array' ? [name] : [],
  )
}

/** Decodes a query, or returns every problem, also that a parameter is repeated which may not be. */
export const decodeQuery = <Q>(query: string, decode: DecodeQuery<Q>): E.Either<readonly Problem[], Q> => {
  const parameters = new Map<string, string>()
  const repeated = new Set<string>()
  let several: readonly string[] | undefined
  for (const [name, value] of query === '' ? [] : new URLSearchParams(query)) {
    const before = parameters.get(name)
    if (before !== undefined) several ??= takingSeveral(decode)
    if (before === undefined || several?.includes(name)) {
      parameters.set(name, before === undefined ? value : `${before},${value}`)
    } else repeated.add(name)
  }
  for (const name of repeated) parameters.delete(name)
  const problems = [...repeated].map((name) => inQuery(name, 'is given more than once'))
  const read = decode(parameters)
  if (E.isLeft(read)) return E.left([...problems, ...read.left])
  return problems.length === 0 ? read : E.left(problems)
}

const problemOf = (error: t.ValidationError): Problem => {
  const detail = error.message === UNKNOWN_MEMBER ? 'is not a parameter of this route' : error.message
  return inQuery(pathOf(error)[0] ?? '', detail ?? 'is not valid')
}

type Codecs = Readonly<Record<string, t.Mixed>>

/** Decodes parameters with codecs that take text. */
export const parametersOf = <O extends Codecs, R extends Codecs = Record<never, never>>(optional: O, required?: R) => {
  const codec = closed('query', required ?? ({} as R), optional)
  const decode = (parameters: Parameters) =>
    E.mapLeft((errors: t.Errors): readonly Problem[] => errors.map(problemOf))(
      codec.decode(Object.fromEntries(parameters)),
    )
  return withSchema(decode, () => schemaOf(codec))
}

/** What a codec makes of a query. */
export type QueryOf<D> = D extends DecodeQuery<infer Q> ? Q : never

/** Makes a query of parameters that are valid by themselves, unless there are problems between them. */
export const queryOf = <A, Q>(
  decode: DecodeQuery<A>,
  make: (read: A) => Q,
  problemsBetween: (parameters: Parameters) => readonly Problem[] = () => [],
): DecodeQuery<Q> =>
  withSchema(
    (parameters: Parameters) => {
      const problems = problemsBetween(parameters)
      const read = decode(parameters)
      if (E.isLeft(read)) return E.left([...read.left, ...problems])
      return problems.length === 0 ? E.right(make(read.right)) : E.left(problems)
    },
    () => schemaOf(decode),
  )

/** Decodes the parameters with a prefix, by the rest of their names. Other parameters are returned. */
export const familyOf = <A>(prefix: string, names: t.Type<string>, values: t.Type<A>) => {
  const codec = dictionary('query', names, values)
  const decode = (parameters: Parameters) => {
    const isOne = ([name]: readonly [string, string]): boolean => name.startsWith(prefix)
    const members = [...parameters].filter(isOne).map(([name, value]) => [name.slice(prefix.length), value])
    const family = E.mapLeft((errors: t.Errors): readonly Problem[] =>
      errors.map((error) => inQuery(prefix + (pathOf(error)[0] ?? ''), error.message ?? 'is not valid')),
    )(codec.decode(Object.fromEntries(members)))
    return { family, others: new Map([...parameters].filter((parameter) => !isOne(parameter))) }
  }
  return withSchema(decode, () => {
    const pattern = String(schemaOf(names).pattern).replace(/^\^/, `^${prefix.replaceAll('.', '\\.')}`)
    return { patternProperties: { [pattern]: schemaOf(values) } }
  })
}

/** The codec of a parameter. It only decodes. */
export const parameter = <A>(
  name: string,
  is: t.Is<A>,
  validate: t.Validate<unknown, A>,
  schema: () => JsonSchema,
): t.Type<A, never, unknown> => {
  const encode = (): never => {
    throw new TypeError('a query is only ever read')
  }
  return withSchema(new t.Type<A, never, unknown>(name, is, validate, encode), schema)
}

/** A codec for text that encodes another value. */
const written = <A>(codec: t.Type<A>, read: (text: string) => unknown): t.Type<A, never, unknown> =>
  parameter(
    codec.name,
    codec.is,
    (u, c) => codec.validate(read(String(u)), c),
    () => schemaOf(codec),
  )

export const wholeNumber = (min: number, max: number): t.Type<number, never, unknown> =>
  written(integer(min, max), (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined))

export const yesOrNo: t.Type<boolean, never, unknown> = written(boolean, (text) => {
  if (text === 'true') return true
  return text === 'false' ? false : undefined
})

export const onlyTrue: t.Type<true, never, unknown> = parameter<true>(
  'true',
  (u): u is true => u === true,
  (u, c) => (u === 'true' ? t.success(true) : t.failure(u, c, 'must be true or omitted')),
  () => ({ type: 'boolean', const: true }),
)

/** A codec for words separated by commas, each once or more. */
export const wordsOf = <W extends string>(...words: readonly W[]): t.Type<ReadonlySet<W>, never, unknown> => {
  const isWord = (word: string): word is W => (words as readonly string[]).includes(word)
  return parameter(
    'words',
    (u): u is ReadonlySet<W> => u instanceof Set,
    (u, c) => {
      const values = String(u).split(',')
      return values.every(isWord)
        ? t.success(new Set(values))
        : t.failure(
            u,
            c,
            `must be ${words.join(' or ')}${words.length > 1 ? ', or several of them, separated by commas' : ''}`,
          )
    },
    () => ({ type: 'string', pattern: `^(?:${words.join('|')})(?:,(?:${words.join('|')}))*$` }),
  )
}

/** A codec for values of a parameter that may be repeated: they are joined by commas, which they do not have. */
export const several = <A>(codec: t.Type<A>, max = Number.POSITIVE_INFINITY): t.Type<readonly A[], never, unknown> =>
  parameter(
    codec.name,
    (u): u is readonly A[] => Array.isArray(u) && u.every(codec.is),
    (u, c) => {
      const values = String(u).split(',')
      if (values.length > max) return t.failure(u, c, `must be at most ${max} values`)
      const read = values.map((value) => codec.validate(value, c))
      const wrong = read.find(E.isLeft)
      return wrong ?? t.success(read.flatMap((one) => (E.isRight(one) ? [one.right] : [])))
    },
    () => ({ type: 'array', items: schemaOf(codec), ...(Number.isFinite(max) && { maxItems: max }) }),
  )
