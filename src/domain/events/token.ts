import { listOf, matching, opaqueId } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { assignedId, recordedTime } from './fields.ts'
import { Role } from './user.ts'

/** SHA-256 of a token in hex. A token has 160 secret bits, so that no salt is needed. */
const tokenHash = matching('hash', /^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')

/** The name of the token, in the vault under the token's id, where the owner is `tokens:<user_id>`. */
const Credentials = closed('TokenCredentials', { id: assignedId, changed: listOf(assignedId) }, {})

/** Without `expires_at` it does not expire. */
const TokenIssued = closed(
  'TokenIssued',
  { _id: assignedId, user_id: opaqueId, role: Role, hash: tokenHash, credentials: Credentials },
  { expires_at: recordedTime },
)
/** With `session_until` it ended the session of a login, which would have ended by itself at that time at the latest. */
const TokenRevoked = closed('TokenRevoked', { _id: assignedId, user_id: opaqueId }, { session_until: recordedTime })

export const tokenEvents = { TokenIssued, TokenRevoked } as const
