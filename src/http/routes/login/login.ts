import * as E from 'fp-ts/lib/Either.js'
import type { makeRenewEpoch } from '../../../commands/users/renew-epoch.ts'
import { type Failure, failure } from '../../../domain/failure.ts'
import { tokenDecider } from '../../../domain/token/decide.ts'
import { tokenStream } from '../../../domain/values/ids.ts'
import { formatMilliseconds } from '../../../domain/values/instant.ts'
import { type IssuedSession, isOfSession, type LoginSessions } from '../../../users/login-sessions.ts'
import type { User } from '../../../users/user.ts'
import type { Login, Logout } from '../../codecs/login.ts'
import { SESSION_ENDED } from '../../protocol/problem.ts'
import { type Call, NO_STORE, type RouteResponse, type RouteResult } from '../../protocol/route.ts'
import type { Parts } from '../parts.ts'

export interface LoginDependencies extends Pick<Parts, 'runner' | 'users' | 'views'> {
  readonly sessions: Pick<LoginSessions, 'begin' | 'renew'>
  readonly renewEpoch: ReturnType<typeof makeRenewEpoch>
}

/** The response to a login. */
export const sessionResponse = ({ _id, name, role }: User, { session, expires }: IssuedSession): RouteResponse => ({
  status: 200,
  body: JSON.stringify({ _id, name, role, session, expires_at: formatMilliseconds(expires) }),
  headers: NO_STORE,
})

const NO_SESSION = failure('forbidden', 'Only a session can do this. Sign in with POST /api/login.')
const NO_SESSION_TO_END = failure(
  'forbidden',
  'This request has no session to end. With {"everywhere":true} it ends all sessions of the user.',
)

const ended = (everywhere: boolean): RouteResponse => ({ status: 200, body: JSON.stringify({ everywhere }) })

export const makeLoginHandlers = ({ sessions, runner, users, views, renewEpoch }: LoginDependencies) => {
  /** What is recorded for a logout. A repeated request ends nothing more, so its idempotency key is not recorded. */
  const envelopeOf = ({ user, requestId, reason, client }: Call) => ({ actor: user, requestId, reason, client })

  const endAll = async (call: Call): Promise<E.Either<Failure, RouteResponse>> => {
    const renewed = await renewEpoch(call.user._id, envelopeOf(call))
    if (E.isLeft(renewed)) return renewed
    await users.refresh()
    return E.right(ended(true))
  }

  return {
    login: async ({ body, caller }: Call<Login>): RouteResult => {
      const admitted = await caller().signIn(body)
      if (E.isLeft(admitted)) return admitted
      return E.right(sessionResponse(admitted.right, await sessions.begin(admitted.right, { renewable: true })))
    },
    renew: async ({ user }: Call): RouteResult => {
      if (!isOfSession(user)) return E.left(NO_SESSION)
      const renewed = sessions.renew(user)
      return renewed === undefined ? E.left(SESSION_ENDED) : E.right(sessionResponse(user, renewed))
    },
    logout: async (call: Call<Logout>): RouteResult => {
      const { user, body } = call
      if (body.everywhere === true) return endAll(call)
      if (!isOfSession(user)) return E.left(NO_SESSION_TO_END)
      const { _id, renewableUntil } = user.session
      const session = { _id, user_id: user._id, session_until: formatMilliseconds(renewableUntil) }
      const command = { type: 'EndSession', session } as const
      const outcome = await runner.run(tokenDecider, tokenStream(user._id), { ...envelopeOf(call), command })
      if (E.isLeft(outcome)) return outcome
      // From then on this instance refuses it too.
      await views.waitForStorePosition(outcome.right.storePosition)
      return E.right(ended(false))
    },
  }
}

export type LoginHandlers = ReturnType<typeof makeLoginHandlers>
