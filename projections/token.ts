import type { Role, TokenScope } from '../src/domain/events/user.ts'
import { failMissing, type Projection } from './projection.ts'

/** What is known of a token, without its name, which is in the vault. Responses leave out the hash. */
export interface TokenDocument {
  readonly _id: string
  readonly user_id: string
  readonly role: Role
  readonly created_at: string
  readonly expires_at: string | null
  /** Absent unless the token is limited to something. */
  readonly scope?: TokenScope
  /** SHA-256 in hex. */
  readonly hash: string
  readonly revoked_at: string | null
}

export const tokenProjection: Projection<TokenDocument> = {
  name: 'token',
  version: 2,
  key: (event) => {
    if (event.type === 'TokenRevoked' && event.data.session_until !== undefined) return undefined
    return event.type === 'TokenIssued' || event.type === 'TokenRevoked' ? event.data._id : undefined
  },
  begins: (event) => event.type === 'TokenIssued',
  evolve: (document, event) => {
    const { time } = event.metadata
    if (event.type === 'TokenIssued') {
      const { _id, user_id, role, hash, expires_at = null, token_scope: scope } = event.data
      return { _id, user_id, role, created_at: time, expires_at, ...(scope && { scope }), hash, revoked_at: null }
    }
    return { ...(document ?? failMissing('token', event)), revoked_at: time }
  },
}

/** The session of a login that was ended before it expired. */
interface EndedLogin {
  readonly _id: string
  readonly user_id: string
  readonly ended_at: string
}

export const endedLoginProjection: Projection<EndedLogin> = {
  name: 'ended_login',
  version: 1,
  key: (event) =>
    event.type === 'TokenRevoked' && event.data.session_until !== undefined ? event.data._id : undefined,
  // Two instances may end one at the same time. Both say the same.
  begins: () => true,
  evolve: (_, event) => {
    if (event.type !== 'TokenRevoked') return failMissing('ended login', event)
    const { _id, user_id } = event.data
    return { _id, user_id, ended_at: event.metadata.time }
  },
}
