import type { DataOf, Recorded } from '../../domain/event.ts'
import { findUser, type UserState, type UsersState } from '../../domain/user/state.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Report } from './streams.ts'

/** What events of users and tokens say beyond their commands, and what removed users may still have. */

/**
 * Time after a restoration in which the service may still end reservations made before it, and after a removal in which
 * a token may still be issued. They are decided on other streams, so those in flight are not refused.
 */
const IN_FLIGHT_MAX_MS = 60_000

const isRecent = (at: string | undefined, time: number): boolean =>
  at !== undefined && time - epochMillisecondsOf(at) <= IN_FLIGHT_MAX_MS

/** A single sign-on adds users with an identity, which never changes, and gives them roles. */
const judgeIdentity = ({ type, data, metadata }: Recorded, report: Report): void => {
  const isSignOn = metadata.role === 'system' && metadata.actor === 'oidc'
  if (type === 'UserAdded' && data.credentials.changed.includes('identity') !== isSignOn)
    report(isSignOn ? 'adds a user without an identity' : 'adds a user with an identity')
  if (type === 'UserAdded' && !data.credentials.changed.includes('name')) report('adds a user without a name')
  if (type !== 'UserChanged') return
  if (data.credentials?.changed.includes('identity')) report('changes the identity of a user')
  if (isSignOn && Object.keys(data).some((field) => field !== '_id' && field !== 'role'))
    report('changes more than a role')
}

const judgeIssued = (
  { _id, user_id, role, credentials, token_scope }: DataOf<'TokenIssued'>,
  issuer: Recorded['metadata']['role'],
  user: UserState | 'uncertain' | undefined,
  time: number,
  report: Report,
): void => {
  if (credentials.changed.length !== 1 || credentials.changed[0] !== _id)
    report(`issues the token ${_id} with the name of another`)
  if (issuer !== 'administrator' && issuer !== role) report(`issues a token with the role ${role}, by a ${issuer}`)
  if (token_scope !== undefined && role === 'tester') report(`issues a token for ${token_scope} with the role ${role}`)
  if (user === 'uncertain' || user?.status === 'present' || isRecent(user?.removed_at, time)) return
  report(`issues a token of the user ${user_id}, who is not present`)
}

/** Whether the service may end a reservation of a user: it was removed with its reservations, perhaps a moment ago. */
const isToLose = (user: UserState | undefined, reservationId: string, time: number): boolean => {
  if (user === undefined || user.removal === 'cancel') return user !== undefined
  // An id begins with the second in which it was assigned.
  const made = Number.parseInt(reservationId.slice(0, 8), 16) * 1_000
  return user.status === 'present' && isRecent(user.updated_at, time) && made < epochMillisecondsOf(user.updated_at)
}

/** @param users undefined if their stream is uncertain */
export const judgePeople = (event: Recorded, time: number, users: UsersState | undefined, report: Report): void => {
  const { type, data, metadata } = event
  judgeIdentity(event, report)
  if (type === 'TokenIssued')
    judgeIssued(data, metadata.role, users === undefined ? 'uncertain' : findUser(users, data.user_id), time, report)
  // Sessions are not recorded when they begin. They are ended by their user, at two instances perhaps twice.
  if (type === 'TokenRevoked' && data.session_until !== undefined && metadata.actor !== data.user_id)
    report(`ends the session ${data._id} of the user ${data.user_id}, by ${metadata.actor}`)
  const isEnd = type === 'ReservationCancelled' || type === 'ReservationReleased'
  if (!isEnd || metadata.actor !== 'berth' || users === undefined) return
  if (!isToLose(findUser(users, data.user_id), data._id, time))
    report(`is by the service, but the user ${data.user_id} was not removed with its reservations`)
}
