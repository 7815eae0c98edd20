import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { pathOf, UNKNOWN_MEMBER } from '../../domain/codec/object-codec.ts'
import type { Problem } from '../../domain/failure.ts'

const problemOf =
  (readOnly: readonly string[]) =>
  (error: t.ValidationError): Problem => {
    const path = pathOf(error)
    const problem = { path, in: 'body', detail: error.message ?? 'is not valid' } as const
    if (error.message !== UNKNOWN_MEMBER) return { ...problem, code: 'invalid' }
    if (path.length === 1 && readOnly.includes(path[0] as string)) {
      return { ...problem, code: 'field_read_only', detail: 'is assigned by the service' }
    }
    return { ...problem, code: 'field_unknown', detail: 'is not a field of this request' }
  }

/** Every problem. A read-only field is reported as such even if the codec named another unknown field first. */
const problemsOf = (errors: t.Errors, readOnly: readonly string[], body: unknown): readonly Problem[] => {
  const toProblem = problemOf(readOnly)
  let last: t.ValidationError | undefined
  let problem: Problem | undefined
  const problems = errors.map((error): Problem => {
    if (problem === undefined || error !== last) problem = toProblem(error)
    last = error
    return problem
  })
  if (problem === undefined || problems.some(({ code }) => code === 'field_read_only')) return problems
  const isOneReadOnly = readOnly.some((name) => Object.hasOwn(Object(body), name))
  return isOneReadOnly ? problems.with(-1, { ...problem, code: 'field_read_only' }) : problems
}

/** Decodes a body, or returns every problem. `readOnly` are fields that the service assigns. */
export const decoded = <A>(
  codec: t.Type<A, unknown, unknown>,
  readOnly: readonly string[],
  body: unknown,
): E.Either<readonly Problem[], A> =>
  E.mapLeft((errors: t.Errors) => problemsOf(errors, readOnly, body))(codec.decode(body))
