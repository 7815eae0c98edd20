import type * as t from 'io-ts'
import { integer, listOf, matching, multipleOf, oneOf, opaqueId, orNull, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { tokenStream, USERS_STREAM } from '../values/ids.ts'
import { declare, inStream } from './declaration.ts'
import { assignedId, recordedTime } from './fields.ts'

export const Role = oneOf('administrator', 'tester', 'auditor')
export type Role = t.TypeOf<typeof Role>

/**
 * A user's secrets: the random value that its sessions name, who it is for the provider of single sign-on, its name, and
 * its password's hash.
 */
export const USER_SECRET_FIELDS = ['epoch', 'identity', 'name', 'password'] as const
export type UserSecretField = (typeof USER_SECRET_FIELDS)[number]

export const EPOCH_BYTES = 16

/** Secrets that changed together. The random id identifies them in the vault, where the owner is `user:<_id>`. */
export const UserCredentials = closed(
  'UserCredentials',
  { id: assignedId, changed: listOf(oneOf(...USER_SECRET_FIELDS)) },
  {},
)
export type UserCredentials = t.TypeOf<typeof UserCredentials>

/** Limits of what a tester may reserve. Hours count by the ISO week; null is no limit. */
export const quotaFields = {
  hours_per_week: orNull(multipleOf(0.25, 0, 168)),
  reservations_max: orNull(integer(0, 10_000)),
  priority_max: orNull(integer(0, 100)),
} as const

export const Quota = closed('Quota', quotaFields, {})
export type Quota = t.TypeOf<typeof Quota>

/** Characters: sixteen tags of the greatest length, percent-encoded; see user/scope.ts. */
export const SCOPE_MAX = 13_535

/** A tag selector. Without one, every SUT. */
const scope = text(0, SCOPE_MAX)

const ofUser = { object: 'user', isIn: inStream(USERS_STREAM), by: ['users'] } as const

export const REMOVALS = ['keep', 'cancel'] as const
/** What a removal does with reservations that are not over. */
export const Removal = oneOf(...REMOVALS)
export type Removal = t.TypeOf<typeof Removal>

export const userEvents = {
  UserAdded: declare({
    ...ofUser,
    members: { _id: opaqueId, role: Role, credentials: UserCredentials },
    optional: { quota: Quota, scope },
    creates: true,
    by: ['users', 'berth', 'oidc'],
    guide: 'a user is added, or imported | `role`, `credentials`, and of testers `quota` and `scope` if they have them',
  }),
  /** Contains only what changed. A quota of null is the service's default. */
  UserChanged: declare({
    ...ofUser,
    members: { _id: opaqueId },
    optional: { role: Role, quota: orNull(Quota), scope, credentials: UserCredentials },
    by: ['users', 'oidc'],
    guide: 'a user gets another name, role, password, quota or scope, or its sessions end | only what changed',
  }),
  UserRemoved: declare({
    ...ofUser,
    members: { _id: opaqueId, reservations: Removal },
    answersNothing: true,
    guide: 'a user is removed | `reservations`: `keep` or `cancel`',
  }),
  UserRestored: declare({
    ...ofUser,
    members: { _id: opaqueId },
    guide: 'a removed user is restored | ',
  }),
  /** The secrets are deleted. The id stays. */
  UserErased: declare({
    ...ofUser,
    members: { _id: opaqueId },
    guide: 'what is secret of a removed user is [deleted](people.md#erase) | ',
  }),
} as const

/** SHA-256 of a token in hex. A token has 160 secret bits, so that no salt is needed. */
const tokenHash = matching('hash', /^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')

/** The name of the token, in the vault under the token's id, where the owner is `tokens:<user_id>`. */
const Credentials = closed('TokenCredentials', { id: assignedId, changed: listOf(assignedId) }, {})

/** What a token is limited to, whatever its role may do. */
export const TokenScope = oneOf('metrics', 'calendar')
export type TokenScope = t.TypeOf<typeof TokenScope>

const ofToken = {
  object: 'token',
  // Tokens are no documents of answers.
  answersNothing: true,
  isIn: (stream: string, { user_id }: { readonly user_id: string }) => stream === tokenStream(user_id),
  by: ['users'],
} as const

export const tokenEvents = {
  /** Without `expires_at` it does not expire, and without `token_scope` it may do all that its role may. */
  TokenIssued: declare({
    ...ofToken,
    assigns: true,
    members: { _id: assignedId, user_id: opaqueId, role: Role, hash: tokenHash, credentials: Credentials },
    optional: { expires_at: recordedTime, token_scope: TokenScope },
    creates: true,
    added: [['token_scope']],
    guide:
      'a [token](people.md#tokens) is issued | `role`, `hash` (its SHA-256), `credentials`, `expires_at` if it expires, `token_scope` if it is for metrics or calendars only',
  }),
  /** With `session_until` it ended the session of a login, which would have ended by itself at that time at the latest. */
  TokenRevoked: declare({
    ...ofToken,
    members: { _id: assignedId, user_id: opaqueId },
    optional: { session_until: recordedTime },
    by: ['users', 'berth'],
    guide:
      'a token is revoked, by a request or with its user; with `session_until`, a [session](people.md#sessions) is ended | ',
  }),
} as const
