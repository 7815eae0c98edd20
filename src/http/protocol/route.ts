import type { Either } from 'fp-ts/lib/Either.js'
import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import type { Role, TokenScope } from '../../domain/events/user.ts'
import type { Problem } from '../../domain/failure.ts'
import { type Call, JSON_TYPE, type MediaTypes, type RouteResult } from './call.ts'
import type { Code } from './problem.ts'

/** Decodes a body, or returns every problem. */
export type DecodeBody<B> = (body: unknown) => Either<readonly Problem[], B>

/** Decodes a query, or returns every problem. */
export type DecodeQuery<Q> = (query: string) => Either<readonly Problem[], Q>

/** One operation of the API, for validation, documents and clients, with its handler. */
export interface Route<in P = never, B = unknown, Q = unknown> {
  /** The operation's name in generated clients. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** The section of the guide about it, like `machines.md#find`. */
  readonly guide?: string
  /** The schema of the JSON response. Other media types are text. */
  readonly answer: JsonSchema
  /** Whether it succeeds only with an upgrade to another protocol, 101. */
  readonly isUpgrade?: true
  /** Successes that a protocol inside HTTP has, by status, as OpenAPI describes them. */
  readonly otherAnswers?: Readonly<Record<number, JsonSchema>>
  /** Whether it responds with 201 and a Location. */
  readonly isCreation?: true
  /** Whether its responses say until when the reservation or request is kept alive. */
  readonly isKept?: true
  readonly isTagged?: true
  /** The codes it refuses with, beside those that every operation of its kind has. */
  readonly refusals?: readonly Code[]
  /** Descriptions of parameters of its path that differ from the usual ones. */
  readonly notes?: Readonly<Record<string, string>>
  readonly method: 'GET' | 'POST'
  /** In router syntax, with `:name` for parameters. */
  readonly path: string
  /** Another path with the same responses, which the documents do not list. */
  readonly alias?: string
  /** The roles that may call it; `anyone` needs no credentials. Idempotency keys are then ignored. */
  readonly roles: readonly Role[] | 'anyone'
  /** Whether tokens may not call it, whatever their role. */
  readonly isForPeople?: true
  /** The tokens of limited scope that may call it. Others may call nothing that needs credentials. */
  readonly tokenScope?: TokenScope
  /** Query parameters that only some of these roles may use. */
  readonly parameterRoles?: Readonly<Record<string, readonly Role[]>>
  /** The media type of the response; JSON by default. Error responses are always JSON. */
  readonly mediaType?: string
  readonly otherMediaTypes?: readonly string[]
  /**
   * Whether it is available while the log is still being read, and while users are unknown, then to those whose
   * credentials were verified before.
   */
  readonly isAlwaysOpen?: true
  /** Whether it answers repeated requests itself: its response is not one object. */
  readonly answersRepeats?: true
  /** Whether Idempotency-Key is ignored: a repetition is not to have the first response. */
  readonly ignoresRetryKey?: true
  readonly body?: DecodeBody<B>
  readonly isBodyOptional?: true
  /** Absent if the route takes no parameters. */
  readonly query?: DecodeQuery<Q>
  /** Whether it streams events and supports Last-Event-ID. Such a stream is held open until the log has been read. */
  readonly isResumable?: true
  /** Whether it ends or takes away something that somebody may still need. Agents ask people before they do that. */
  readonly isDestructive?: true
  /** Whether the same request again changes nothing more, also without an Idempotency-Key. */
  readonly isIdempotent?: true
  /** Whether If-Match is supported. */
  readonly isConditional?: true
  /**
   * Gets the parts of a service with each call, whose `body` and `query` are decoded. A method, so that a table can have
   * routes with different types.
   */
  handler(parts: P, call: Call<B, Q>): RouteResult
}

/** What a route is declared with, beside its path. Its codecs alone say what its handler gets. */
type Declared<P, B, Q> = Omit<Route<P, B, Q>, 'method' | 'path' | 'handler'> & {
  readonly handler: (parts: P, call: Call<NoInfer<B>, NoInfer<Q>>) => RouteResult
}

/** A POST route whose handler gets the decoded body. @param path in router syntax, with `:name` for parameters */
export const post = <P, B>(
  path: string,
  route: Declared<P, B, unknown> & { readonly body: DecodeBody<B> },
): Route<P, B> => ({ ...route, method: 'POST', path })

/** A GET route, whose handler gets the decoded query if it has one. */
export const get = <P, Q = unknown>(
  path: string,
  route: Omit<Declared<P, unknown, Q>, 'body'>,
): Route<P, unknown, Q> => ({ ...route, method: 'GET', path })

export const everyone = ['administrator', 'tester', 'auditor'] as const
export const administrators = ['administrator'] as const
/** Testers for themselves only, which commands and handlers check. */
export const holders = ['administrator', 'tester'] as const
/** The log, users and metrics concern everyone's work. */
export const overseers = ['administrator', 'auditor'] as const

/** Refers to one of the schemas of responses, by its name in the documents. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** The media types of a route, the default first. */
export const mediaTypesOf = (route: Pick<Route, 'mediaType' | 'otherMediaTypes'>): MediaTypes => [
  route.mediaType ?? JSON_TYPE,
  ...(route.otherMediaTypes ?? []),
]

export const hasRetryKeys = ({ method, roles, ignoresRetryKey }: Route): boolean =>
  method === 'POST' && roles !== 'anyone' && ignoresRetryKey !== true
