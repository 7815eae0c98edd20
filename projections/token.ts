import type { DataOf } from '../src/domain/event.ts'
import type { TokenScope } from '../src/domain/events/user.ts'
import { failMissing, type Projection } from './projection.ts'

/** What is known of a token, without its name, which is in the vault. */
export interface TokenDocument extends Pick<DataOf<'TokenIssued'>, '_id' | 'user_id' | 'role'> {
  readonly created_at: string
  readonly expires_at: string | null
  /** Absent unless the token is limited to something. */
  readonly scope?: TokenScope
  readonly revoked_at: string | null
}

/** The session of a login that was ended before it expired. */
type EndedLogin = Pick<TokenDocument, '_id' | 'user_id'>

export interface TokenInternal {
  /** SHA-256 in hex; absent for a login. */
  readonly hash?: string
}

/** Tokens, and those logins that were ended before they expired. Two instances may end one at the same time. */
export const tokenProjection: Projection<TokenDocument | EndedLogin, TokenInternal> = {
  name: 'token',
  version: 3,
  key: ({ type, data }) => (type === 'TokenIssued' || type === 'TokenRevoked' ? data._id : undefined),
  begins: (event) => event.type === 'TokenIssued',
  evolve: (row, event) => {
    if (event.type === 'TokenIssued') {
      const { _id, user_id, role, hash, expires_at = null, token_scope: scope } = event.data
      const created_at = event.metadata.time
      const document = { _id, user_id, role, created_at, expires_at, ...(scope && { scope }), revoked_at: null }
      return { document, internal: { hash } }
    }
    if (event.type === 'TokenRevoked' && event.data.session_until !== undefined) {
      const { _id, user_id } = event.data
      return { document: { _id, user_id }, internal: {} }
    }
    const { document, internal } = row ?? failMissing('token', event)
    return { document: { ...document, revoked_at: event.metadata.time }, internal }
  },
  ended: (event) => (event.type === 'TokenRevoked' ? 'revoked' : null),
}
