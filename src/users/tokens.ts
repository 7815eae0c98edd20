import { hash, timingSafeEqual } from 'node:crypto'
import type { TokenDocument } from '../../projections/token.ts'
import type { Role } from '../domain/events/user.ts'
import type { User } from '../domain/user/user.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import type { Clock } from '../domain/values/units.ts'
import type { Users } from './users.ts'

/** A recorded token, and its SHA-256 in hex. */
export type KnownToken = TokenDocument & { readonly hash: string }

interface TokensOptions {
  readonly find: (id: string) => KnownToken | undefined
  readonly users: Pick<Users, 'byId'>
  readonly clock: Clock
}

/** Bytes of the id that a token begins with, and of its secret. */
const [ID_BYTES, SECRET_BYTES] = [12, 20]
/** As GitHub's: found by scanners of source code, and told from passwords. */
const PREFIX = 'berth_'
const TOKEN = /^berth_([A-Za-z0-9_-]{43})$/

/** A new token: its id, which finds it, and its text, which is not kept. */
export const makeToken = (
  randomBytes: (size: number) => Uint8Array,
): { readonly _id: string; readonly token: string; readonly hash: string } => {
  const bytes = Buffer.from(randomBytes(ID_BYTES + SECRET_BYTES))
  const token = PREFIX + bytes.toString('base64url')
  return { _id: bytes.toString('hex', 0, ID_BYTES), token, hash: hash('sha256', token, 'hex') }
}

/** A user issues only roles that it could have itself. */
export const mayHaveRole = (user: Pick<User, 'role'>, role: Role): boolean =>
  user.role === 'administrator' || user.role === role

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

export const makeTokens = ({ find, users, clock }: TokensOptions) => {
  const userOf = ({ _id, user_id, role, expires_at, scope, revoked_at }: KnownToken): User | undefined => {
    const user = users.byId(user_id)
    const isOver = revoked_at !== null || (expires_at !== null && epochMillisecondsOf(expires_at) <= clock())
    if (user === undefined || isOver || !mayHaveRole(user, role)) return undefined
    return {
      ...{ ...user, role, token: _id },
      ...(scope !== undefined && { tokenScope: scope }),
      ...(expires_at !== null && { expires: epochMillisecondsOf(expires_at) }),
    }
  }
  return {
    /** Whether a text is meant as a token. */
    isTokenLike: (text: string): boolean => text.slice(0, PREFIX.length).toLowerCase() === PREFIX,
    /** The user that a token stands for, with the token's role; undefined unless it is valid. */
    userOf: (token: string): User | undefined => {
      const digits = TOKEN.exec(token)?.[1]
      if (digits === undefined) return undefined
      const known = find(Buffer.from(digits, 'base64url').toString('hex', 0, ID_BYTES))
      return known !== undefined && isSame(known.hash, hash('sha256', token, 'hex')) ? userOf(known) : undefined
    },
    /** Whether a user that a token stood for still is what it was. */
    isCurrent: ({ token, role }: User & { readonly token: string }): boolean => {
      const known = find(token)
      return known !== undefined && userOf(known)?.role === role
    },
  }
}

export type Tokens = ReturnType<typeof makeTokens>
