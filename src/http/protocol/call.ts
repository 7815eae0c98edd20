import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Sender } from '../../commands/command-envelope.ts'
import type { IdempotencyKey } from '../../commands/idempotency-key.ts'
import type { User } from '../../domain/user/user.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Refusal } from './problem.ts'

export const JSON_TYPE = 'application/json'
export const EVENT_STREAM = 'text/event-stream; charset=utf-8'

/** The media types of a route, the default first. */
export type MediaTypes = readonly [string, ...string[]]

/** What the header fields of a request say, decoded: those that its route may have. */
export interface RequestHeaders {
  readonly retryKey?: string
  readonly reason?: string
  /** The revisions If-Match allows; undefined for any. */
  readonly ifMatch?: readonly number[] | undefined
  readonly ifNoneMatch?: string
  /** The public position that a read must have reached. */
  readonly after?: PublicPosition
  /** The position of the last event a reconnecting stream client received. */
  readonly lastEventId?: PublicPosition | undefined
}

/** What a request says, decoded and validated. */
export interface Input<B = unknown, Q = unknown> extends RequestHeaders {
  readonly body: B
  readonly query: Q
}

/** A request as handlers see it. */
export interface Call<B = unknown, Q = unknown> extends Input<B, Q> {
  readonly requestId: string
  readonly user: User
  /** The parameter `id` of the path; empty if it has none. */
  readonly id: string
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The negotiated media type of the response. */
  readonly mediaType: string
  readonly idempotencyKey: IdempotencyKey | undefined
  /** The client's address as a keyed hash, for events that a POST records; undefined over the control socket. */
  readonly client: string | undefined
  /** The request itself, which also says where it was sent from and to, and whether its client is still there. */
  readonly request: IncomingMessage
  /** Which of these media types the client prefers; undefined if it accepts none. */
  readonly accepts: (mediaTypes: MediaTypes) => string | undefined
  /** Says whom a handler found to have sent the request: the access log shows who has signed in. */
  readonly setUser: (user: User) => void
  /** Undefined if the request is not to be upgraded. */
  readonly upgraded: Upgraded | undefined
}

/** What a command takes from a call. */
export const envelopeOf = ({ user, requestId, idempotencyKey, reason, client }: Call): Sender => ({
  actor: user,
  requestId,
  idempotencyKey,
  reason,
  client,
})

export interface StreamedBody {
  /** Whether nothing from the log is sent until the store can be read. */
  readonly isHeld?: boolean
  /** Writes the body after the response head; resolves when it has ended for any reason. */
  readonly run: (response: ServerResponse) => Promise<void>
  /** Called instead of `run` for HEAD. */
  readonly leave: () => void
}

/**
 * For responses with a secret that is shown once: nothing on their way may keep them. They are not compressed either,
 * because their length would depend on what the secret and the rest of the response have in common (BREACH).
 */
export const NO_STORE = { 'Cache-Control': 'no-store' } as const

/** The same bytes in every coding. */
export type Compressed = Readonly<Record<'zstd' | 'gzip', Uint8Array>>

/** A body that is kept, and the same compressed, unless it is so by itself. */
export interface FixedBody {
  readonly bytes: Uint8Array
  readonly compressed?: Compressed
}

export interface RouteResponse {
  /** 200, or 201; 101 where the handler has taken over the connection; others where a protocol inside HTTP has them. */
  readonly status: number
  /** Of the negotiated media type. */
  readonly body: string | FixedBody | StreamedBody
  /** Where the handler negotiated it. */
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The public position a write's response shows. For a read, the position of the views is used. */
  readonly position?: PublicPosition
}

export type RouteResult = Promise<Either<Refusal, RouteResponse>>

/** A connection that is to leave HTTP. Node no longer handles it. */
export interface Upgraded {
  /** What has arrived after the request. */
  readonly head: Buffer
  /** Called by a handler that answers by itself, with 101. */
  readonly takeOver: () => void
}
