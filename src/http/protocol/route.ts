import type { ServerResponse } from 'node:http'
import type { Either } from 'fp-ts/lib/Either.js'
import type { RetryKey } from '../../commands/retry-key.ts'
import type { Role } from '../../domain/event.ts'
import type { Problem } from '../../domain/failure.ts'
import type { User } from '../../users/users-file.ts'
import type { Refusal } from './problem.ts'

export const JSON_TYPE = 'application/json'

/** One request, as far as a handler may know it. */
export interface Call<B = unknown, Q = unknown> {
  readonly requestId: string
  readonly user: User
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly body: B
  readonly query: Q
  /** The revisions of which the SUT's record must be at one; undefined where any will do. */
  readonly ifMatch: readonly number[] | undefined
  /** The position of the last event that the client of a stream had when it was cut off. */
  readonly lastEventId: number | undefined
  /** Of those that the route answers with, the one that the client likes best. */
  readonly mediaType: string
  readonly retryKey: RetryKey | undefined
  /** Why, in the client's words. */
  readonly reason: string | undefined
}

/** A body that is written bit by bit. */
export interface StreamedBody {
  /** Whether nothing of the log is told until the store can be read. */
  readonly isHeld?: boolean
  /** Writes it behind the head of the answer; resolves when it has ended, one way or the other. */
  readonly run: (response: ServerResponse) => Promise<void>
  /** In place of that, where only the head is wanted. */
  readonly leave: () => void
}

export interface RouteResponse {
  readonly status: 200 | 201
  /** Text of the route's media type. */
  readonly body: string | StreamedBody
  readonly headers?: Readonly<Record<string, string>>
  /** The public position that a write's answer shows; a read shows where the views are. */
  readonly position?: number
}

export type RouteResult = Promise<Either<Refusal, RouteResponse>>

/** Reads a body, or names everything that is wrong with it. */
export type DecodeBody<B> = (body: unknown) => Either<readonly Problem[], B>

/** The parameters of a query, decoded, each there once. */
export type Parameters = ReadonlyMap<string, string>

/** Reads the parameters of a query, or names everything that is wrong with them. */
export type DecodeQuery<Q> = (parameters: Parameters) => Either<readonly Problem[], Q>

/** One operation of the interface: everything that is particular to it. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** In the router's syntax, a parameter being `:name`. */
  readonly path: string
  /** The roles that may; `anyone` needs no credentials. */
  readonly may: readonly Role[] | 'anyone'
  /** The roles that may use a parameter of the query, where not all may that may ask. */
  readonly mayUse?: Readonly<Record<string, readonly Role[]>>
  /** What it answers with where that is not JSON; refusals always are. */
  readonly mediaType?: string
  /** What it answers with in place of that to who likes it better. */
  readonly otherMediaTypes?: readonly string[]
  /** Whether it is answered also while the log is still being read. */
  readonly isAlwaysOpen?: true
  /** The media type in which it is answered also then, and goes on when the log has been read. */
  readonly heldOpen?: string
  /** Absent where no body is taken. */
  readonly body?: DecodeBody<unknown>
  readonly isBodyOptional?: true
  /** Absent where no parameters are taken. */
  readonly query?: DecodeQuery<unknown>
  /** The parameters that may be given several times; their values come joined by commas. */
  readonly repeatable?: readonly string[]
  /** Whether Last-Event-ID is heeded. */
  readonly isResumable?: true
  /** Whether If-Match is heeded. */
  readonly isConditional?: true
  readonly handle: (call: Call) => RouteResult
}

/** What a route answers with, the one first that is taken where any will do. */
export type MediaTypes = readonly [string, ...string[]]

export const mediaTypesOf = (route: Pick<Route, 'mediaType' | 'otherMediaTypes'>): MediaTypes => [
  route.mediaType ?? JSON_TYPE,
  ...(route.otherMediaTypes ?? []),
]

export type BodyRoute<B> = Omit<Route, 'body' | 'handle' | 'method'> & {
  readonly body: DecodeBody<B>
  readonly handle: (call: Call<B>) => RouteResult
}

/** A POST whose handler gets the body that its codec reads. */
export const post = <B>(route: BodyRoute<B>): Route => ({ ...route, method: 'POST' }) as unknown as Route

export const get = (route: Omit<Route, 'method' | 'body' | 'query'>): Route => ({ ...route, method: 'GET' })

export type QueryRoute<Q> = Omit<Route, 'body' | 'query' | 'handle' | 'method'> & {
  readonly query: DecodeQuery<Q>
  readonly handle: (call: Call<unknown, Q>) => RouteResult
}

/** A GET whose handler gets the parameters that its codec reads. */
export const getWithQuery = <Q>(route: QueryRoute<Q>): Route => ({ ...route, method: 'GET' }) as unknown as Route
