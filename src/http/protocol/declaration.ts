import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import type { Call, DecodeBody, Operation, Route, RouteResult } from './route.ts'

/** A route as it is declared: the operation, and its handler, which gets the parts of a service with each call. */
export interface Declaration<in P, B = unknown, Q = unknown> extends Operation<B, Q> {
  /** A method, as `Route.handle` is. */
  handler(parts: P, call: Call<B, Q>): RouteResult
}

/** What a route is declared with, beside its path. Its codecs alone say what its handler gets. */
type Declared<P, B, Q> = Omit<Declaration<P, B, Q>, 'method' | 'path' | 'handler'> & {
  readonly handler: (parts: P, call: Call<NoInfer<B>, NoInfer<Q>>) => RouteResult
}

/** A POST route whose handler gets the decoded body. @param path in router syntax, with `:name` for parameters */
export const post = <P, B>(
  path: string,
  route: Declared<P, B, unknown> & { readonly body: DecodeBody<B> },
): Declaration<P, B> => ({ ...route, method: 'POST', path })

/** A GET route, whose handler gets the decoded query if it has one. */
export const get = <P, Q = unknown>(
  path: string,
  route: Omit<Declared<P, unknown, Q>, 'body'>,
): Declaration<P, unknown, Q> => ({ ...route, method: 'GET', path })

/** The routes of a service that has these parts. */
export const bind = <P>(declarations: readonly Declaration<P>[], parts: P): readonly Route[] =>
  declarations.map(({ handler, ...operation }) => ({ ...operation, handle: (call) => handler(parts, call) }))

export const everyone = ['administrator', 'tester', 'auditor'] as const
export const administrators = ['administrator'] as const
/** Testers for themselves only, which commands and handlers check. */
export const holders = ['administrator', 'tester'] as const
/** The log, users and metrics concern everyone's work. */
export const overseers = ['administrator', 'auditor'] as const

/** Refers to one of the schemas of responses, by its name in the documents. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
