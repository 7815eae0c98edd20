import type { Access, User } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'
import type { ConsoleTicket } from '../../vault/derived/console-tickets.ts'
import type { SignedIn } from '../accounts/signed-in.ts'

/** The user with an id, if it may hold reservations. */
export const findHolder = (users: Pick<Users, 'byId'>, userId: string): User | undefined => {
  const user = users.byId(userId)
  return user?.role === 'tester' || user?.role === 'administrator' ? user : undefined
}

/** Whether the token or session with which a ticket was asked for is still valid, if it was one. */
const isAccessValid = (users: Pick<Users, 'byId'>, { isCurrent, hasExpired }: SignedIn, user: User): boolean => {
  if (user.token === undefined && user.session === undefined) return true
  // A session has the role of its user, which may have changed.
  const role = user.session === undefined ? user.role : (users.byId(user._id)?.role ?? user.role)
  return isCurrent({ ...user, role }) && !hasExpired(user)
}

/** Whether a user may still hold reservations, and its access has not ended since. */
export const isStillHolder = (users: Pick<Users, 'byId'>, signedIn: SignedIn, user: User): boolean =>
  findHolder(users, user._id)?.accessSince === user.accessSince && isAccessValid(users, signedIn, user)

/** The user of a ticket, if its access has not ended since the ticket was issued. */
export const makeTicketHolder =
  (users: Pick<Users, 'byId' | 'refresh'>, signedIn: SignedIn) =>
  async ({ userId, accessSince, access }: ConsoleTicket): Promise<User | undefined> => {
    // Another instance may have issued the ticket after a change that is not known here yet.
    if ((users.byId(userId)?.accessSince ?? -1) < accessSince) await users.refresh()
    const user = findHolder(users, userId)
    if (user?.accessSince !== accessSince) return undefined
    const admitted: User = { ...user, ...(access as Access) }
    return isAccessValid(users, signedIn, admitted) ? admitted : undefined
  }
