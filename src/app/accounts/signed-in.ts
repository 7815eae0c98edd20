import * as E from 'fp-ts/lib/Either.js'
import type { TokenDocument, TokenInternal } from '../../../projections/token.ts'
import { renewEpoch } from '../../commands/users/renew-epoch.ts'
import { OPERATOR, type User } from '../../domain/user/user.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { ConsoleTicket } from '../../http/console/consoles.ts'
import { makeUsedTickets } from '../../http/console/used-tickets.ts'
import type { SingleSignOn } from '../../http/routes/parts.ts'
import { isOfSession, type LoginSessions, makeLoginSessions } from '../../users/login-sessions.ts'
import { makeProvider } from '../../users/oidc/provider.ts'
import { makeTokens, type Tokens } from '../../users/tokens.ts'
import type { Users } from '../../users/users.ts'
import { makeSealer } from '../../vault/derived/sealer.ts'
import type { Lab } from '../core/base.ts'

/** Tells whether those who were authenticated still may what they then might. */
export interface SignedIn {
  readonly isCurrent: (user: User) => boolean
  /** Whether the token or session of a user has expired. Looks at the clock only. */
  readonly hasExpired: (user: User) => boolean
  /** Calls the listener when that may have changed. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void
}

const openSessions = (lab: Lab): LoginSessions => {
  const { users, views, vault, clock, randomBytes, randomHex } = lab
  return makeLoginSessions({
    sealer: makeSealer(vault.keys, 'berth session v2', randomBytes),
    users,
    renewEpoch: async (actor) => {
      const result = await renewEpoch(lab, actor._id, { actor, requestId: lab.makeRequestId() })
      if (E.isLeft(result)) throw new StoreUnavailable(`a session cannot begin: ${result.left.detail}`)
      await users.refresh()
      if (users.epochOf(actor._id) === undefined)
        throw new StoreUnavailable('a session cannot begin: its epoch is not readable')
    },
    isEnded: (id) => views.newest('token', id)?.ended === 'revoked',
    clock,
    randomHex,
  })
}

const openTokens = ({ users, views, clock }: Lab): Tokens =>
  makeTokens({
    find: (id) => {
      const version = views.newest('token', id)
      if (version === undefined) return undefined
      const { hash } = JSON.parse(version.internal) as TokenInternal
      return hash === undefined ? undefined : { ...(JSON.parse(version.document) as TokenDocument), hash }
    },
    users,
    clock,
  })

/** A new name ends nothing. A new role does, since what was opened with the former one may need it. */
export const makeSignedIn = (lab: Lab): SignedIn & { readonly tokens: Tokens; readonly sessions: LoginSessions } => {
  const { users, views, clock } = lab
  const [tokens, sessions] = [openTokens(lab), openSessions(lab)]
  return {
    tokens,
    sessions,
    isCurrent: (user) => {
      if (user === OPERATOR) return true
      if (isOfSession(user)) return sessions.isCurrent(user)
      const { token } = user
      if (token !== undefined) return tokens.isCurrent({ ...user, token })
      const now = users.byId(user._id)
      return now?.accessSince === user.accessSince && now.role === user.role
    },
    hasExpired: ({ expires }) => expires !== undefined && expires <= clock(),
    onChange: (listener) => {
      const stopUsers = users.onChange(listener)
      const stopTokens = views.watch((_, changes) => {
        if (changes.some(({ projection, after }) => projection === 'token' && after.ended !== null)) listener()
      })
      return () => {
        stopUsers()
        stopTokens()
      }
    },
  }
}

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

export const openSingleSignOn = (lab: Lab): SingleSignOn | undefined => {
  const { config, vault, log, clock, randomBytes } = lab
  const { oidc } = config
  if (oidc === undefined) return undefined
  return {
    ...{ provider: makeProvider(oidc), roles: oidc.roles, exchanging: 0 },
    transactions: makeSealer(vault.keys, 'berth sign-in transaction v1', randomBytes),
    used: makeUsedTickets(clock),
    warn: (facts, sentence) => log.warn(facts, sentence),
  }
}
