import * as t from 'io-ts'
import { boolean } from '../../domain/codec/codec.ts'
import { withSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { assignedId } from '../../domain/events/fields.ts'
import { Role } from '../../domain/events/user.ts'
import { NewUserName } from '../../domain/user/new-user-name.ts'
import { IMPORT_USERS_MAX } from '../../users/import-csv.ts'
import { parsePasswordHash } from '../../users/passwords/password.ts'
import type { DecodeBody } from '../protocol/route.ts'
import { decoded } from './decoded.ts'
import { limits } from './users.ts'

const isHash = (u: unknown): u is string => typeof u === 'string' && parsePasswordHash(u) !== undefined

const Hash = withSchema(
  new t.Type(
    'password hash',
    isHash,
    (u, c) => (isHash(u) ? t.success(u) : t.failure(u, c, 'must be a hash of argon2id as a PHC string')),
    t.identity,
  ),
  () => ({ type: 'string' }),
)

const Imported = closed(
  'ImportedUser',
  { _id: assignedId, name: NewUserName, role: Role },
  { ...limits, password: Hash },
)

const Users = new t.Type<readonly t.TypeOf<typeof Imported>[], unknown, unknown>(
  'users',
  (u): u is readonly t.TypeOf<typeof Imported>[] => Array.isArray(u) && u.every(Imported.is),
  (u, c) =>
    Array.isArray(u) && u.length > 0 && u.length <= IMPORT_USERS_MAX
      ? t.readonlyArray(Imported).validate(u, c)
      : t.failure(u, c, `must be an array of 1 to ${IMPORT_USERS_MAX} users`),
  t.identity,
)

const Import = closed('UserImport', { users: Users }, { dry_run: boolean })

export type UserImport = t.TypeOf<typeof Import>

export const userImportBody: DecodeBody<UserImport> = (body) => decoded(Import, [], body)
