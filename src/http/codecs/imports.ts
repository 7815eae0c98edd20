import * as t from 'io-ts'
import { boolean, opaqueId, rowsOf } from '../../domain/codec/codec.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { Role } from '../../domain/events/user.ts'
import { NewUserName } from '../../domain/user/names.ts'
import { parsePasswordHash } from '../../users/passwords/password.ts'
import { SUT_READ_ONLY, SutCreation } from './bodies.ts'
import { bodyOf } from './body.ts'
import { limits, USER_READ_ONLY, UserCreation } from './users.ts'

/** Codecs of bodies that create many objects at once. */

/** SUTs, and users whose passwords the service hashes, in one request. */
export const SUT_ROWS_MAX = 500
const USER_ROWS_MAX = 100
/** Users whose passwords are hashed already. More are more than a body may have; see http/request/read-body.ts. */
export const HASHED_ROWS_MAX = 500

const Suts = closed('SutImport', { suts: rowsOf(SutCreation, SUT_ROWS_MAX, 'SUTs') }, { dry_run: boolean })
const Users = closed('UserImport', { users: rowsOf(UserCreation, USER_ROWS_MAX, 'users') }, { dry_run: boolean })

export type SutImport = t.TypeOf<typeof Suts>
export type UserImport = t.TypeOf<typeof Users>

export const sutImportBody = bodyOf(Suts, { readOnly: SUT_READ_ONLY })
export const userImportBody = bodyOf(Users, { readOnly: USER_READ_ONLY })

const isHash = (u: unknown): u is string => typeof u === 'string' && parsePasswordHash(u) !== undefined

/** The hash of a password in PHC string format. */
export const PasswordHashText = new t.Type(
  'password hash',
  isHash,
  (u, c) => (isHash(u) ? t.success(u) : t.failure(u, c, 'must be a hash of argon2id as a PHC string')),
  t.identity,
)

const Hashed = closed(
  'HashedUser',
  { _id: opaqueId, name: NewUserName, role: Role },
  { ...limits, password: PasswordHashText },
)
const HashedUsers = closed('HashedUsers', { users: rowsOf(Hashed, HASHED_ROWS_MAX, 'users') }, { dry_run: boolean })

export type HashedUserImport = t.TypeOf<typeof HashedUsers>

/** Users with the hashes of their passwords, for the control socket only. */
export const hashedUsersBody = bodyOf(HashedUsers, { readOnly: USER_READ_ONLY })
