import * as E from 'fp-ts/lib/Either.js'
import { type CommandsOf, type Decision, makeDecider, type StreamState } from '../decider.ts'
import type { DataOf, Event, Recorded } from '../event.ts'
import type { Role, TokenScope } from '../events/user.ts'
import { refuse } from '../failure.ts'
import { epochMillisecondsOf } from '../values/instant.ts'

/** A token that has not been revoked. */
export interface TokenState {
  readonly _id: string
  readonly role: Role
  readonly created_at: string
  /** Null if it does not expire. */
  readonly expires_at: string | null
  readonly scope?: TokenScope
}

/** The tokens of one user, oldest first. */
export interface TokensState extends StreamState {
  readonly tokens: readonly TokenState[]
}

/** Tokens of a user that are valid at the same time. */
export const TOKENS_MAX = 1_000

/** Events of one append: 200 KB. */
const REVOKED_AT_ONCE = 500

const isValid = ({ expires_at }: TokenState, now: number): boolean =>
  expires_at === null || epochMillisecondsOf(expires_at) > now

/**
 * Expired tokens that are kept too, so that they can still be revoked: they may have expired by a clock that was ahead,
 * and be valid again once it is right.
 */
const EXPIRED_MAX = TOKENS_MAX

const withoutOldest = (tokens: readonly TokenState[], now: number): readonly TokenState[] => {
  const expired = tokens.filter((token) => !isValid(token, now))
  const dropped = new Set(expired.slice(0, Math.max(0, expired.length - EXPIRED_MAX)))
  return dropped.size === 0 ? tokens : tokens.filter((token) => !dropped.has(token))
}

export const validTokens = ({ tokens }: TokensState, now: number): readonly TokenState[] =>
  tokens.filter((token) => isValid(token, now))

const fold = (state: TokensState, event: Recorded, time: number): TokensState => {
  if (event.type === 'TokenRevoked')
    return { ...state, tokens: state.tokens.filter(({ _id }) => _id !== event.data._id) }
  if (event.type !== 'TokenIssued') return state
  const { _id, role, expires_at = null, token_scope: scope } = event.data
  const issued = { _id, role, created_at: event.metadata.time, expires_at, ...(scope && { scope }) }
  return { ...state, tokens: [...withoutOldest(state.tokens, time), issued] }
}

interface OfUser {
  readonly user_id: string
}

const rules = {
  IssueToken: (state: TokensState, { token }: { readonly token: DataOf<'TokenIssued'> }, now: number): Decision =>
    validTokens(state, now).length < TOKENS_MAX
      ? E.right([{ type: 'TokenIssued', data: token }])
      : refuse('too_many_tokens', `The user has ${TOKENS_MAX} tokens. Revoke one first.`),
  RevokeToken: ({ tokens }: TokensState, { _id, user_id }: OfUser & { readonly _id: string }): Decision =>
    tokens.some((token) => token._id === _id)
      ? E.right([{ type: 'TokenRevoked', data: { _id, user_id } }])
      : refuse('token_not_found', 'No token of this user has this id, or it has been revoked.'),
  /** Revokes those of these tokens that are left, as many as fit into an append. */
  RevokeTokens: (
    { tokens }: TokensState,
    { user_id, ids }: OfUser & { readonly ids: ReadonlySet<string> },
  ): Decision => {
    const some = tokens.filter(({ _id }) => ids.has(_id)).slice(0, REVOKED_AT_ONCE)
    return E.right(some.map(({ _id }): Event => ({ type: 'TokenRevoked', data: { _id, user_id } })))
  },
  /**
   * Ends the session of a login, which is not recorded when it begins. It may have ended already: remembering ended
   * sessions would cost more than a second event.
   */
  EndSession: (_: TokensState, { session }: { readonly session: Required<DataOf<'TokenRevoked'>> }): Decision =>
    E.right([{ type: 'TokenRevoked', data: session }]),
}

export type TokenCommand = CommandsOf<typeof rules>

export const tokenDecider = makeDecider<TokensState, TokenCommand>({
  initial: { time: 0, keys: [], tokens: [] },
  version: 4,
  fold,
  rules,
})
