import type Koa from 'koa'
import type { User } from '../../domain/user/user.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Compressed, Input } from './call.ts'
import type { Code, Refusal } from './problem.ts'
import type { Route } from './route.ts'

/** What middleware finds out about a request, for what follows. */
export interface State {
  requestId: string
  /** Absent if none has matched. */
  route?: Route
  /** Absent where anyone may call. */
  user: User
  /** The negotiated media type of the response. */
  mediaType: string
  /** Of the body, as they arrived: they identify a retry. */
  bytes?: Buffer
  input: Input
  /** Whether the client has made the request wait, which may take seconds. */
  hasWaited?: true
  /** What the response shows, if that is not what the views show. Negative before the first event. */
  position?: PublicPosition | undefined
  /** The body, compressed, if it is kept so. */
  kept?: Compressed | undefined
  /** Of an error response. */
  code?: Code
}

export type Context = Koa.ParameterizedContext<State>
export type Middleware = Koa.Middleware<State>
/** Why a request is refused; undefined if it goes on. */
export type Guard = (ctx: Context) => Refusal | undefined | Promise<Refusal | undefined>
