/** Bodies of requests. */

import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { type JsonSchema, schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { closed, pathOf, UNKNOWN_MEMBER } from '../../domain/codec/object-codec.ts'
import { bodyProblem, type FailureCode, type Problem } from '../../domain/failure.ts'
import type { DecodeBody } from '../protocol/route.ts'

/** Problems between members, looked for also where some are wrong by themselves. */
type Rule = (body: unknown) => readonly Problem[]

interface Options {
  /** Fields that the service assigns: of the body, or of the rows in it. */
  readonly readOnly?: readonly string[]
  readonly rules?: readonly Rule[]
  /** A rule that is looked at where nothing else is wrong. */
  readonly lastRule?: Rule
  /** The schema, where rules say more than the codec. */
  readonly schema?: () => JsonSchema
}

const problemOf =
  (readOnly: readonly string[]) =>
  (error: t.ValidationError): Problem => {
    const path = pathOf(error)
    const problem = { path, in: 'body', detail: error.message ?? 'is not valid' } as const
    if (error.message !== UNKNOWN_MEMBER) return { ...problem, code: 'invalid' }
    const isOfRow = path.length === 1 || /^\d+$/.test(path.at(-2) ?? '')
    return isOfRow && readOnly.includes(path.at(-1) ?? '')
      ? { ...problem, code: 'field_read_only', detail: 'is assigned by the service' }
      : { ...problem, code: 'field_unknown', detail: 'is not a field of this request' }
  }

const NONE: readonly Problem[] = []

/** The body that a codec decodes. One that is left out, where it may be, is an empty object. */
export const bodyOf = <B>(
  codec: t.Type<B, unknown, unknown>,
  { readOnly = [], rules = [], lastRule, schema }: Options = {},
): DecodeBody<B> => {
  const toProblem = problemOf(readOnly)
  const decode: DecodeBody<B> = (body) => {
    const read = codec.decode(body === undefined ? {} : body)
    const wrong = E.isLeft(read) ? read.left.map(toProblem) : []
    const early = [...wrong, ...rules.flatMap((rule) => rule(body))]
    const problems = early.length > 0 ? early : (lastRule?.(body) ?? NONE)
    return E.isLeft(read) || problems.length > 0 ? E.left(problems) : read
  }
  return withSchema(decode, schema ?? (() => schemaOf(codec)))
}

/** What a codec makes of a body. */
export type BodyOf<D> = D extends DecodeBody<infer B> ? B : never

/**
 * Exactly one of several forms must be present and complete, whatever the values: each is the names of its members.
 */
export const oneForm =
  (required: FailureCode, ambiguous: FailureCode, ...forms: readonly (readonly string[])[]): Rule =>
  (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return NONE
    const has = (name: string): boolean => Object.hasOwn(body, name)
    const [first, ...others] = forms.filter((form) => form.some(has))
    if (others.length === 0 && first?.every(has)) return NONE
    if (first === undefined) {
      const [usual = [], ...rest] = forms
      const verb = rest.some(({ length }) => length > 1) ? 'are' : 'is'
      const detail = `is required, unless ${rest.map((form) => form.join(' and ')).join(' or ')} ${verb} given`
      return usual.map((name) => bodyProblem(required, name, detail))
    }
    const more = others.flat().filter(has)
    const missing = first.filter((name) => more.length === 0 && !has(name))
    return [
      ...more.map((name) => bodyProblem(ambiguous, name, `cannot be combined with ${first.join(' or ')}`)),
      ...missing.map((name) =>
        bodyProblem(required, name, `is required with ${first.find((other) => other !== name)}`),
      ),
    ]
  }

/** Of a route that takes nothing from its body: none, or an empty object. */
export const withoutBody = { body: bodyOf(closed('Nothing', {}, {})), isBodyOptional: true } as const
