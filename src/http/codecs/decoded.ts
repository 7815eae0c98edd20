import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { pathOf, UNKNOWN_MEMBER } from '../../domain/codec/object-codec.ts'
import type { Problem } from '../../domain/failure.ts'
import type { DecodeBody } from '../protocol/route.ts'

/** Fields that the service assigns. */
interface ReadOnly {
  readonly names: readonly string[]
  /** The member whose rows have these fields; the body itself, unless given. */
  readonly rows?: string
}

const isReadOnly = ({ names, rows }: ReadOnly, path: readonly string[]): boolean =>
  (rows === undefined ? path.length === 1 : path.length === 3 && path[0] === rows) && names.includes(path.at(-1) ?? '')

const hasReadOnly = ({ names, rows }: ReadOnly, body: unknown): boolean =>
  [rows === undefined ? body : Object(body)[rows]]
    .flat()
    .some((each) => names.some((name) => Object.hasOwn(Object(each), name)))

const problemOf =
  (readOnly: ReadOnly) =>
  (error: t.ValidationError): Problem => {
    const path = pathOf(error)
    const problem = { path, in: 'body', detail: error.message ?? 'is not valid' } as const
    if (error.message !== UNKNOWN_MEMBER) return { ...problem, code: 'invalid' }
    if (isReadOnly(readOnly, path)) return { ...problem, code: 'field_read_only', detail: 'is assigned by the service' }
    return { ...problem, code: 'field_unknown', detail: 'is not a field of this request' }
  }

/** Every problem. A read-only field is reported as such even if the codec named another unknown field first. */
const problemsOf = (errors: t.Errors, readOnly: ReadOnly, body: unknown): readonly Problem[] => {
  const toProblem = problemOf(readOnly)
  let last: t.ValidationError | undefined
  let problem: Problem | undefined
  const problems = errors.map((error): Problem => {
    if (problem === undefined || error !== last) problem = toProblem(error)
    last = error
    return problem
  })
  if (problem === undefined || problems.some(({ code }) => code === 'field_read_only')) return problems
  return hasReadOnly(readOnly, body) ? problems.with(-1, { ...problem, code: 'field_read_only' }) : problems
}

type Codec<A> = t.Type<A, unknown, unknown>

const decodeWith = <A>(codec: Codec<A>, readOnly: ReadOnly, body: unknown): E.Either<readonly Problem[], A> =>
  E.mapLeft((errors: t.Errors) => problemsOf(errors, readOnly, body))(codec.decode(body))

/** Decodes a body, or returns every problem. `names` are fields that the service assigns. */
export const decoded = <A>(codec: Codec<A>, names: readonly string[], body: unknown) =>
  decodeWith(codec, { names }, body)

/** The body that a codec decodes. `names` are fields that the service assigns. */
export const bodyOf = <A>(codec: Codec<A>, names: readonly string[] = []): DecodeBody<A> =>
  withSchema(
    (body: unknown) => decoded(codec, names, body),
    () => schemaOf(codec),
  )

/** The same for a body whose member `rows` has many objects, in each of which the service assigns these fields. */
export const bodyOfRows = <A>(codec: Codec<A>, rows: string, names: readonly string[]): DecodeBody<A> =>
  withSchema(
    (body: unknown) => decodeWith(codec, { names, rows }, body),
    () => schemaOf(codec),
  )

/** The same for a body that may be left out, which is an empty object then. */
export const optionalBodyOf = <A>(codec: Codec<A>): DecodeBody<A> =>
  withSchema(
    (body: unknown) => decoded(codec, [], body === undefined ? {} : body),
    () => schemaOf(codec),
  )
