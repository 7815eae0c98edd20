import type { Users } from '../../users/users.ts'
import type { User } from '../../users/users-file.ts'

/** The user with an id, if it may hold reservations. */
export const findHolder = (users: Pick<Users, 'byId'>, userId: string): User | undefined => {
  const user = users.byId(userId)
  return user?.role === 'tester' || user?.role === 'administrator' ? user : undefined
}
