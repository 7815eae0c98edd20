import { makeId, type RandomHex } from '../domain/values/ids.ts'
import type { LoginSession, User } from './user.ts'
import type { Users } from './users.ts'

/** A session as its owner gets it. */
export interface IssuedSession {
  /** Its text, which is sent as a Bearer token. It is not kept. */
  readonly session: string
  /** Unix milliseconds. */
  readonly expires: number
}

/** The user of a session. `ended`: it was one, and is no longer. `wrong`: no instance with these keys issued it. */
export type SessionUser = User | 'ended' | 'wrong'

export type LoginSessions = ReturnType<typeof makeLoginSessions>

export type SessionOwner = User & { readonly session: LoginSession; readonly expires: number }

export const isOfSession = (user: User): user is SessionOwner =>
  user.session !== undefined && user.expires !== undefined

/** Signs with keys that all instances have. */
export interface SessionSigner {
  readonly issue: (content: object) => string
  /** Undefined unless `issue` returned the text. */
  readonly open: (text: string) => object | undefined
  readonly sign: (text: string) => string
  readonly isSigned: (text: string, signature: string) => boolean
}

interface LoginSessionsOptions {
  readonly signer: SessionSigner
  readonly users: Pick<Users, 'byId' | 'member' | 'epochOf' | 'refresh'>
  /** Gives a user an epoch, or another one, which ends all of its sessions. */
  readonly renewEpoch: (user: User) => Promise<void>
  /** Whether a session was ended before it expired. */
  readonly isEnded: (id: string) => boolean
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
}

const HOUR_MS = 3_600_000
/** Milliseconds for which a session is valid, and from the login for which it can be renewed. */
const [LIFETIME_MS, RENEWABLE_MS] = [12 * HOUR_MS, 7 * 24 * HOUR_MS]

/** `revision` is that of the user, below which an instance does not know enough to judge. */
type Content = [
  id: string,
  userId: string,
  accessSince: number,
  revision: number,
  expires: number,
  renewableUntil: number,
  epochProof: string,
]

/** Signed apart from the content, so that an ended session is told from a forged one. No payload has a space. */
const epochText = (id: string, epoch: string): string => `epoch ${id} ${epoch}`

/** Sessions that begin with a login. They are in no store: each is a text, signed and bound to an epoch of its user. */
export const makeLoginSessions = (options: LoginSessionsOptions) => {
  const { signer, users, renewEpoch, isEnded, clock, randomHex } = options

  const issue = (user: User, epoch: string, { _id, renewableUntil }: Omit<LoginSession, 'epoch'>, expires: number) => {
    const revision = users.member(user._id)?.revision ?? -1
    const proof = signer.sign(epochText(_id, epoch))
    const content = [_id, user._id, user.accessSince, revision, expires, renewableUntil, proof] satisfies Content
    return { session: signer.issue(content), expires }
  }

  const judge = ([_id, userId, accessSince, , expires, renewableUntil, proof]: Content): SessionUser => {
    const [user, epoch] = [users.byId(userId), users.epochOf(userId)]
    if (user?.accessSince !== accessSince || epoch === undefined || expires <= clock() || isEnded(_id)) return 'ended'
    if (!signer.isSigned(epochText(_id, epoch.clear), proof)) return 'ended'
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
    /** Whether a text has the form of a session. */
    isSessionLike: (text: string): boolean => text.includes('.'),
    userOf: (session: string): SessionUser | Promise<SessionUser> => {
      const content = signer.open(session) as Content | undefined
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
