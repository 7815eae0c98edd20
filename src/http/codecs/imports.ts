import { boolean, opaqueId, rowsOf, scalar } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { Role } from '../../domain/events/user.ts'
import { NewUserName } from '../../domain/user/names.ts'
import { parsePasswordHash } from '../../users/passwords/password.ts'
import { SUT_READ_ONLY, SutCreation } from './bodies.ts'
import { type BodyOf, bodyOf } from './body.ts'
import { limits, USER_READ_ONLY, UserCreation } from './users.ts'

/** Codecs of bodies that create many objects at once. */

/** SUTs, and users whose passwords the service hashes, in one request. */
export const SUT_ROWS_MAX = 500
const USER_ROWS_MAX = 100
/** Users whose passwords are hashed already. More are more than a body may have; see http/request/read-body.ts. */
export const HASHED_ROWS_MAX = 500

const dry = { dry_run: boolean }

export const sutImportBody = bodyOf(closed('SutImport', { suts: rowsOf(SutCreation, SUT_ROWS_MAX, 'SUTs') }, dry), {
  readOnly: SUT_READ_ONLY,
})
export type SutImport = BodyOf<typeof sutImportBody>

const ofUsers = { readOnly: USER_READ_ONLY }
export const userImportBody = bodyOf(
  closed('UserImport', { users: rowsOf(UserCreation, USER_ROWS_MAX, 'users') }, dry),
  ofUsers,
)
export type UserImport = BodyOf<typeof userImportBody>

/** The hash of a password in PHC string format. */
const PasswordHashText = scalar(
  'password hash',
  (u): u is string => typeof u === 'string' && parsePasswordHash(u) !== undefined,
  'must be a hash of argon2id as a PHC string',
  () => ({ type: 'string' }),
)

const hashed = { _id: opaqueId, name: NewUserName, role: Role }
const HashedUser = closed('HashedUser', hashed, { ...limits, password: PasswordHashText })
/** Users with the hashes of their passwords, for the control socket only. */
export const hashedUsersBody = bodyOf(
  closed('HashedUsers', { users: rowsOf(HashedUser, HASHED_ROWS_MAX, 'users') }, dry),
  ofUsers,
)
export type HashedUserImport = BodyOf<typeof hashedUsersBody>
