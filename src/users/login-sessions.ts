import type { LoginSession, User } from '../domain/user/user.ts'
import { makeId, type RandomHex } from '../domain/values/ids.ts'
import type { Clock, UnixMilliseconds } from '../domain/values/units.ts'
import type { Sealer } from '../vault/derived/sealer.ts'
import type { Users } from './users.ts'

/** A session as its owner gets it. */
export interface IssuedSession {
  /** Its text, which is sent as a Bearer token. It is not kept. */
  readonly session: string
  readonly expires: UnixMilliseconds
}

/** The user of a session. `ended`: it was one, and is no longer. `wrong`: no instance with these keys issued it. */
export type SessionUser = User | 'ended' | 'wrong'

export type LoginSessions = ReturnType<typeof makeLoginSessions>

export type SessionOwner = User & { readonly session: LoginSession; readonly expires: number }

export const isOfSession = (user: User): user is SessionOwner =>
  user.session !== undefined && user.expires !== undefined

interface LoginSessionsOptions {
  /** With keys that all instances have. */
  readonly sealer: Sealer<SessionContent>
  readonly users: Pick<Users, 'byId' | 'member' | 'epochOf' | 'refresh'>
  /** Gives a user an epoch, or another one, which ends all of its sessions. */
  readonly renewEpoch: (user: User) => Promise<void>
  readonly isEnded: (id: string) => boolean
  readonly clock: Clock
  readonly randomHex: RandomHex
}

const HOUR_MS = 3_600_000
/** Milliseconds for which a session is valid, and from the login for which it can be renewed. */
const [LIFETIME_MS, RENEWABLE_MS] = [12 * HOUR_MS, 7 * 24 * HOUR_MS]

/** `revision` is that of the user, below which an instance does not know enough to judge. */
export type SessionContent = readonly [
  id: string,
  userId: string,
  accessSince: number,
  revision: number,
  expires: number,
  renewableUntil: number,
  epoch: string,
]

/** Sessions that begin with a login. They are in no store: each is a text, sealed and bound to an epoch of its user. */
export const makeLoginSessions = (options: LoginSessionsOptions) => {
  const { sealer, users, renewEpoch, isEnded, clock, randomHex } = options

  const issue = (user: User, epoch: string, { _id, renewableUntil }: Omit<LoginSession, 'epoch'>, expires: number) => {
    const revision = users.member(user._id)?.revision ?? -1
    return {
      session: sealer.seal([_id, user._id, user.accessSince, revision, expires, renewableUntil, epoch]),
      expires,
    }
  }

  const judge = ([_id, userId, accessSince, , expires, renewableUntil, clear]: SessionContent): SessionUser => {
    const [user, epoch] = [users.byId(userId), users.epochOf(userId)]
    if (user?.accessSince !== accessSince || epoch?.clear !== clear || expires <= clock() || isEnded(_id))
      return 'ended'
    return { ...user, session: { _id, epoch: epoch.id, renewableUntil }, expires }
  }

  return {
    /**
     * Begins a session of a user who has just signed in.
     *
     * @param renewable whether it can be renewed beyond its first hours
     */
    begin: async (user: User, { renewable }: { readonly renewable: boolean }): Promise<IssuedSession> => {
      // Rare: an epoch whose key was lost, or a user who never had one.
      if (users.epochOf(user._id) === undefined) await renewEpoch(user)
      const now = clock()
      const session = {
        _id: makeId(now, randomHex(8)),
        renewableUntil: now + (renewable ? RENEWABLE_MS : LIFETIME_MS),
      }
      return issue(user, users.epochOf(user._id)?.clear ?? '', session, now + LIFETIME_MS)
    },
    /** Extends a session, as far as it can be. Its id stays. Undefined if its user has another epoch by now. */
    renew: (user: SessionOwner): IssuedSession | undefined => {
      const { session, expires } = user
      const epoch = users.epochOf(user._id)
      if (epoch?.id !== session.epoch) return undefined
      const latest = Math.max(expires, Math.min(clock() + LIFETIME_MS, session.renewableUntil))
      return issue(user, epoch.clear, session, latest)
    },
    userOf: (session: string): SessionUser | Promise<SessionUser> => {
      const content = sealer.open(session)
      if (content === undefined) return 'wrong'
      const [, userId, , revision] = content
      // Another instance may have issued it after a change that is not known here yet.
      const isBehind = (users.member(userId)?.revision ?? -1) < revision
      return isBehind ? users.refresh().then(() => judge(content)) : judge(content)
    },
    /** Whether a session that stood for a user still does. The clock is not looked at. */
    isCurrent: ({ _id, role, accessSince, session }: SessionOwner): boolean => {
      const user = users.byId(_id)
      if (user?.role !== role || user.accessSince !== accessSince) return false
      return users.epochOf(_id)?.id === session.epoch && !isEnded(session._id)
    },
  }
}
