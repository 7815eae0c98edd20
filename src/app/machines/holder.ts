import type { ConsoleTicket } from '../../http/console/consoles.ts'
import type { User } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'
import type { SignedIn } from '../accounts/signed-in.ts'

/** The user with an id, if it may hold reservations. */
export const findHolder = (users: Pick<Users, 'byId'>, userId: string): User | undefined => {
  const user = users.byId(userId)
  return user?.role === 'tester' || user?.role === 'administrator' ? user : undefined
}

/** Whether a user may still hold reservations, and neither its access nor its token or session has ended since. */
export const isStillHolder = (users: Pick<Users, 'byId'>, { isCurrent, hasExpired }: SignedIn, user: User): boolean => {
  const holder = findHolder(users, user._id)
  if (holder?.accessSince !== user.accessSince) return false
  // A token has a role of its own. Another one may have changed.
  return isCurrent(user.token === undefined ? { ...user, role: holder.role } : user) && !hasExpired(user)
}

/** The user of a ticket, if its access has not ended since the ticket was issued. */
export const makeTicketHolder =
  (users: Pick<Users, 'byId' | 'refresh'>, signedIn: SignedIn) =>
  async ({ access }: ConsoleTicket): Promise<User | undefined> => {
    // Another instance may have issued the ticket after a change that is not known here yet.
    if ((users.byId(access._id)?.accessSince ?? -1) < access.accessSince) await users.refresh()
    const user = findHolder(users, access._id)
    const admitted = user && { ...user, ...access }
    return admitted && isStillHolder(users, signedIn, admitted) ? admitted : undefined
  }
