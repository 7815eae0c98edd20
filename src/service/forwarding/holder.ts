import type { User } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'

/** The user with an id, if it may hold reservations. */
export const findHolder = (users: Pick<Users, 'byId'>, userId: string): User | undefined => {
  const user = users.byId(userId)
  return user?.role === 'tester' || user?.role === 'administrator' ? user : undefined
}

/** The same user, if its access has not been interrupted since a ticket was issued. */
export const makeTicketHolder =
  (users: Pick<Users, 'byId' | 'refresh'>) =>
  async (userId: string, since: number): Promise<User | undefined> => {
    // Another instance may have issued the ticket after a change that is not known here yet.
    if ((users.byId(userId)?.accessSince ?? -1) < since) await users.refresh()
    const user = findHolder(users, userId)
    return user?.accessSince === since ? user : undefined
  }
