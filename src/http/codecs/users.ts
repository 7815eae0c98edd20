import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { boolean, described, integer, matching, opaqueId, orNull, parsed, text } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { quotaFields, Removal, Role, TokenScope } from '../../domain/events/user.ts'
import { NewUserName } from '../../domain/user/names.ts'
import { scopeCodec } from '../../domain/user/scope.ts'
import { CONTROL, classExcluding, DEFAULT_IGNORABLE, INVISIBLE } from '../../domain/values/characters.ts'
import { PASSWORD_BYTES_MAX, passwordProblem } from '../../users/passwords/password.ts'
import { type BodyOf, bodyOf } from './body.ts'

/** Codecs of the bodies of requests about users. */

export const USER_READ_ONLY = ['created_at', 'updated_at', 'removed_at', 'erased_at']

const Password = parsed(
  'password',
  (text) => {
    const problem = passwordProblem(text)
    return problem === undefined ? E.right(text) : E.left(problem)
  },
  'must be a string',
  () => ({
    ...{ type: 'string', minLength: 8, maxLength: PASSWORD_BYTES_MAX, pattern: `^[${classExcluding(CONTROL)}]*$` },
    description: `At least 8 characters and at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`,
  }),
)

const OwnId = described(opaqueId, 'An id that the user has elsewhere; assigned by the service if left out.')

/** The limits to set; the others stay. Null is the service's default. */
const QuotaChange = orNull(closed('QuotaChange', {}, quotaFields))
export const limits = { quota: QuotaChange, scope: scopeCodec }

export const UserCreation = closed(
  'UserCreation',
  { name: NewUserName, role: Role },
  { _id: OwnId, password: Password, ...limits },
)
const TokenName = matching(
  'token name',
  new RegExp(`^[${classExcluding([...INVISIBLE, ...DEFAULT_IGNORABLE])}]{1,64}$`, 'u'),
  'must be 1 to 64 characters, without invisible ones',
)

const ofUsers = { readOnly: USER_READ_ONLY }
const again = { revoke_tokens: boolean }
const old = { old_password: text(0, 1024) }
const token = { role: Role, scope: TokenScope, expires_in: integer(60, 31_536_000) }

export const userCreationBody = bodyOf(UserCreation, ofUsers)
export const userUpdateBody = bodyOf(closed('UserUpdate', {}, { name: NewUserName, role: Role, ...limits }), ofUsers)
export const newPasswordBody = bodyOf(closed('NewPassword', { password: Password }, again), ofUsers)
export const ownPasswordBody = bodyOf(closed('OwnPassword', { ...old, password: Password }, again), ofUsers)
export const tokenRequestBody = bodyOf(closed('TokenRequest', { name: TokenName }, token), ofUsers)
export const userRemovalBody = bodyOf(closed('UserRemoval', { reservations: Removal }, {}), ofUsers)

export type UserCreation = t.TypeOf<typeof UserCreation>
export type NewPassword = BodyOf<typeof newPasswordBody>
export type TokenRequest = BodyOf<typeof tokenRequestBody>
export type UserRemoval = BodyOf<typeof userRemovalBody>
