import * as E from 'fp-ts/lib/Either.js'
import type { User } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'

/** The user of a request that has waited: meanwhile it may have been removed, or have got another scope. */
export const userNow = ({ byId }: Pick<Users, 'byId'>, { scope: _, ...user }: User): E.Either<Refusal, User> => {
  const now = byId(user._id)
  if (now === undefined) return E.left(refusal('unauthenticated', 'The user has been removed.'))
  return E.right({ ...user, ...(now.scope !== undefined && { scope: now.scope }) })
}
