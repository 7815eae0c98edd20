import type { Either } from 'fp-ts/lib/Either.js'
import type { RetryKey } from '../commands/retry-key.ts'
import type { Role } from '../domain/event.ts'
import type { Problem } from '../domain/failure.ts'
import type { User } from '../users/users-file.ts'
import type { Refusal } from './problem.ts'

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
  readonly retryKey: RetryKey | undefined
}

export interface Answer {
  readonly status: 200 | 201
  /** Text of the route's media type. */
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** The public position that a write's answer shows; a read shows where the views are. */
  readonly position?: number
}

export type Answering = Promise<Either<Refusal, Answer>>

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
  /** What it answers with where that is not JSON; refusals always are. */
  readonly mediaType?: string
  /** Whether it is answered also while the log is still being read. */
  readonly isAlwaysOpen?: true
  /** Absent where no body is taken. */
  readonly body?: DecodeBody<unknown>
  readonly isBodyOptional?: true
  /** Absent where no parameters are taken. */
  readonly query?: DecodeQuery<unknown>
  /** Whether If-Match is heeded. */
  readonly isConditional?: true
  readonly handle: (call: Call) => Answering
}

export type Routed<B> = Omit<Route, 'body' | 'handle' | 'method'> & {
  readonly body: DecodeBody<B>
  readonly handle: (call: Call<B>) => Answering
}

/** A POST whose handler gets the body that its codec reads. */
export const post = <B>(route: Routed<B>): Route => ({ ...route, method: 'POST' }) as unknown as Route

export const get = (route: Omit<Route, 'method' | 'body' | 'query'>): Route => ({ ...route, method: 'GET' })

export type Asked<Q> = Omit<Route, 'body' | 'query' | 'handle' | 'method'> & {
  readonly query: DecodeQuery<Q>
  readonly handle: (call: Call<unknown, Q>) => Answering
}

/** A GET whose handler gets the parameters that its codec reads. */
export const ask = <Q>(route: Asked<Q>): Route => ({ ...route, method: 'GET' }) as unknown as Route
